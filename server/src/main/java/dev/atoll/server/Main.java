package dev.atoll.server;

import dev.atoll.server.config.ConfigException;
import dev.atoll.server.config.Setting;
import dev.atoll.server.config.SettingsLoader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's process. */
public final class Main {
  private static final int WRONG_USE = 2;

  private Main() {}

  /** Runs until a signal ends it. */
  public static void main(String[] arguments) {
    if (List.of(arguments).contains("--help")) {
      System.out.print(help());
      return;
    }
    try {
      ServerConfig config =
          ServerConfig.of(SettingsLoader.forThisProcess().load(List.of(arguments)));
      serve(config);
    } catch (ConfigException e) {
      System.err.println("atoll-server: " + e.getMessage());
      System.exit(WRONG_USE);
    } catch (RuntimeException e) {
      LoggerFactory.getLogger(Main.class).error("the server could not start", e);
      System.err.println("atoll-server: the server could not start: " + e.getMessage());
      System.exit(1);
    }
  }

  private static void serve(ServerConfig config) {
    try {
      PrivateFiles.claimDirectory(config.storage().dataDirectory());
    } catch (IOException e) {
      throw new ConfigException("cannot use data-dir: " + e, e);
    }
    Logging.start(config.log(), config.storage().dataDirectory());
    Logger log = LoggerFactory.getLogger(Main.class);
    AtollServer server = AtollServer.start(config, Drivers.of(config));
    log.info("Atoll {} listens on {}", Version.current(), server.url());
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("shutdown")
                .unstarted(
                    () -> {
                      log.info("stopping; sandboxes keep running");
                      server.close();
                      stopped.countDown();
                      // A JVM that a signal ends reports that signal; a clean stop is a success.
                      Runtime.getRuntime().halt(0);
                    }));
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
