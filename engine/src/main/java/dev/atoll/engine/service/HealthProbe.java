package dev.atoll.engine.service;

import dev.atoll.engine.Ports;
import dev.atoll.engine.net.PortConnection;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.model.AtollException;
import dev.atoll.model.ServiceSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sees whether the program of a service works. */
record HealthProbe(Ports ports, Deadlines deadlines) {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([0-9]{3})[ \r\n]");
  private static final int MOST = 64;

  /** How long a program may take to see that nothing more comes. */
  private static final Duration FAREWELL = Duration.ofSeconds(5);

  /** How much of that is waited for, so that no connection is open in the usual snapshot. */
  private static final Duration PATIENCE = Duration.ofMillis(200);

  /** Null when it works; otherwise what is wrong. */
  @Nullable String problem(String project, String sandbox, ServiceSpec spec) {
    String path = spec.check().path();
    try {
      PortConnection connection = ports.connect(project, sandbox, spec.listens());
      try {
        return path == null ? null : ask(connection, spec, path);
      } finally {
        hangUp(connection);
      }
    } catch (AtollException | IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * Ends this side and lets the program end its own. To close at once would be a reset, of which
   * many programs complain in their log.
   */
  private void hangUp(PortConnection connection) {
    Deadlines.Alarm alarm = deadlines.after(FAREWELL, "health-farewell", connection::close);
    Thread farewell =
        Thread.ofVirtual()
            .name("health-farewell")
            .start(
                () -> {
                  try (connection) {
                    connection.end();
                    while (connection.read() != null) {
                      // What else the answer has to say does not matter.
                    }
                  } catch (IOException e) {
                    // It has hung up by itself, or takes too long.
                  } finally {
                    alarm.cancel();
                  }
                });
    try {
      boolean _ = farewell.join(PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable String ask(PortConnection connection, ServiceSpec spec, String path)
      throws IOException {
    Duration timeout = Duration.ofMillis(Math.round(spec.check().timeout() * 1000));
    Deadlines.Alarm alarm = deadlines.after(timeout, "health-timeout", connection::close);
    try {
      String request =
          "GET %s HTTP/1.1\r\nHost: localhost:%d\r\nUser-Agent: atoll-health\r\nConnection: close\r\n\r\n"
              .formatted(path, spec.listens());
      connection.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
      int status = status(connection);
      return status >= 200 && status < 400
          ? null
          : status == 0
              ? "GET " + path + " is not answered in HTTP"
              : "GET " + path + " is answered with " + status;
    } catch (IOException e) {
      throw new IOException(
          "GET %s got no answer in %d ms: %s".formatted(path, timeout.toMillis(), e.getMessage()),
          e);
    } finally {
      alarm.cancel();
    }
  }

  private static int status(PortConnection connection) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.length() < MOST) {
      ByteBuffer bytes = connection.read();
      if (bytes == null) {
        break;
      }
      head.append(StandardCharsets.ISO_8859_1.decode(bytes));
      Matcher status = STATUS.matcher(head);
      if (status.lookingAt()) {
        return Integer.parseInt(status.group(1));
      }
    }
    return 0;
  }
}
