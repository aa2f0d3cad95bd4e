package dev.atoll.server;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.server.config.ConfigException;
import dev.atoll.server.config.Setting;
import dev.atoll.server.config.SettingsLoader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's process. */
public final class Main {
  private static final int WRONG_USE = 2;

  /** The data directory is not for this server, or not intact; nothing in it was changed. */
  private static final int UNUSABLE_DATA = 3;

  /** Less than the launcher waits before it kills. */
  private static final Duration START_PATIENCE = Duration.ofSeconds(20);

  private Main() {}

  /**
   * Runs until a signal ends it; with {@code restore FILE}, until the backup is back; with {@code
   * ground TEMPLATE}, until there is what that template stands on.
   */
  public static void main(String[] arguments) {
    if (List.of(arguments).contains("--help")) {
      System.out.print(help());
      return;
    }
    try {
      if (arguments.length >= 2 && arguments[0].equals("restore")) {
        List<String> settings = List.of(arguments).subList(2, arguments.length);
        new RestoreCommand(Path.of(arguments[1]), System.err)
            .into(config(settings).storage().dataDirectory());
        return;
      }
      if (arguments.length >= 2 && arguments[0].equals("ground")) {
        List<String> settings = List.of(arguments).subList(2, arguments.length);
        new GroundCommand(arguments[1], System.out).into(config(settings).storage());
        return;
      }
      serve(config(List.of(arguments)));
    } catch (ConfigException e) {
      System.err.println("atoll-server: " + e.getMessage());
      System.exit(WRONG_USE);
    } catch (AtollException e) {
      LoggerFactory.getLogger(Main.class).error("the server could not start", e);
      System.err.println("atoll-server: " + e.getMessage());
      System.err.println("atoll-server: " + (e.hint() == null ? "see the log" : e.hint()));
      System.exit(isOfTheData(e.code()) ? UNUSABLE_DATA : 1);
    } catch (RuntimeException e) {
      LoggerFactory.getLogger(Main.class).error("the server could not start", e);
      System.err.println("atoll-server: the server could not start: " + e.getMessage());
      System.exit(1);
    }
  }

  private static ServerConfig config(List<String> settings) {
    return ServerConfig.of(SettingsLoader.forThisProcess().load(settings));
  }

  private static boolean isOfTheData(ErrorCode code) {
    return switch (code) {
      case CONFLICT, INVALID_ARGUMENT, STORAGE_BUSY, STORAGE_DAMAGED, STORAGE_FULL -> true;
      default -> false;
    };
  }

  private static void serve(ServerConfig config) {
    FileModeMask.shutOutOthers();
    try {
      PrivateFiles.claimDirectory(config.storage().dataDirectory());
    } catch (IOException e) {
      throw new ConfigException("cannot use data-dir: " + e, e);
    }
    Logging.start(config.log(), config.storage().dataDirectory());
    Logger log = LoggerFactory.getLogger(Main.class);
    CompletableFuture<AtollServer> starting = new CompletableFuture<>();
    CountDownLatch stopped = new CountDownLatch(1);
    // Before anything is started: what a server is making when the signal comes has to be undone.
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform().name("shutdown").unstarted(() -> stop(starting, stopped, log)));
    try {
      AtollServer server = AtollServer.start(config, Drivers.of(config));
      log.info("Atoll {} listens on {}", Version.current(), server.url());
      starting.complete(server);
    } finally {
      starting.cancel(false);
    }
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes the server once it has started; one that could not start has nothing to close. */
  private static void stop(
      CompletableFuture<AtollServer> starting, CountDownLatch stopped, Logger log) {
    AtollServer server;
    try {
      server = starting.get(START_PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (CancellationException | ExecutionException e) {
      return;
    } catch (TimeoutException e) {
      log.warn("stopping before the server has started; the next one cleans up");
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    log.info("stopping; sandboxes keep running");
    server.close();
    stopped.countDown();
    // A JVM that a signal ends reports that signal; a clean stop is a success.
    Runtime.getRuntime().halt(0);
  }

  static String help() {
    StringBuilder text =
        new StringBuilder("Settings, as --key=value, ATOLL_KEY or in atoll.yaml:\n");
    for (Setting setting : Setting.values()) {
      text.append("  %-24s %s%s%n".formatted(setting.key(), setting.purpose(), byDefault(setting)));
    }
    return text.toString();
  }

  private static String byDefault(Setting setting) {
    return setting.byDefault().isEmpty() ? "" : " [" + setting.byDefault() + "]";
  }
}
