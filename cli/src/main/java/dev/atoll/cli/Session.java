package dev.atoll.cli;

import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.ConnectionException;
import dev.atoll.sdk.transport.UrlConnectionTransport;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the commands share: streams, Ctrl-C, and the way to the server, found when first needed. */
final class Session {
  private static final int PROBE_MILLIS = 2_000;

  private final Stdio stdio;
  private final Interrupts interrupts;
  private @Nullable Atoll atoll;
  private OutputForm output = OutputForm.text;

  Session(Stdio stdio, Interrupts interrupts) {
    this.stdio = stdio;
    this.interrupts = interrupts;
  }

  Stdio stdio() {
    return stdio;
  }

  /** The form that was asked for in front of the command. */
  OutputForm output() {
    return output;
  }

  void output(OutputForm form) {
    output = form;
  }

  Interrupts interrupts() {
    return interrupts;
  }

  /**
   * The server; a local one that is not up is started if the launcher has said how. Whoever shows
   * progress may ask at the same time as whoever works.
   */
  synchronized Atoll atoll() {
    if (atoll == null) {
      atoll = running().orElseGet(this::launched);
    }
    return atoll;
  }

  /** The server, if it is up. An address that the user gave is taken on trust. */
  Optional<Atoll> running() {
    try {
      Atoll found = connect();
      boolean given = stdio.environment().containsKey("ATOLL_URL");
      return given || answers(found.endpoint().url()) ? Optional.of(found) : Optional.empty();
    } catch (ConnectionException e) {
      if (stdio.environment().containsKey("ATOLL_URL")) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private Atoll launched() {
    String launcher = stdio.environment().get("ATOLL_LAUNCHER");
    if (launcher == null || launcher.isBlank()) {
      throw new ConnectionException(
          "no Atoll server is running on this machine",
          "start it with ./atoll up, or set ATOLL_URL and ATOLL_API_KEY",
          null);
    }
    stdio.message("starting the server …");
    try {
      // The launcher's path comes from the launcher itself, and nothing is interpreted by a shell.
      int status =
          new ProcessBuilder(launcher, "up", "--quiet")
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start()
              .waitFor();
      if (status != 0) {
        throw new ConnectionException(
            "the server did not start", "see what `" + launcher + " up` says", null);
      }
    } catch (IOException e) {
      throw new ConnectionException("cannot run " + launcher, "check ATOLL_LAUNCHER", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectionException("interrupted while the server started", "try again", e);
    }
    return connect();
  }

  private Atoll connect() {
    return Atoll.builder()
        .environment(stdio.environment())
        .transport(new UrlConnectionTransport())
        .build();
  }

  private static boolean answers(URI url) {
    int port = url.getPort() < 0 ? 80 : url.getPort();
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(url.getHost(), port), PROBE_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
