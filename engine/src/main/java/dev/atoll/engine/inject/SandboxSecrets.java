package dev.atoll.engine.inject;

import dev.atoll.engine.secret.Secrets;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** The secrets that one sandbox may use. */
public final class SandboxSecrets {
  private final Secrets secrets;
  private final Trust trust;
  private final String project;
  private final List<String> names;

  SandboxSecrets(Secrets secrets, Trust trust, String project, List<String> names) {
    this.secrets = secrets;
    this.trust = trust;
    this.project = project;
    this.names = List.copyOf(names);
  }

  /** Whether some of them go there, so that a connection has to be {@link #forward forwarded}. */
  public boolean bind(String host, int port) {
    return !names.isEmpty() && secrets.bind(project, names, host, port);
  }

  /** What is to be known of a connection. */
  public interface Listener {
    /** A request was given these secrets. */
    void used(List<String> secrets);

    /** The connection could not be used, and why. */
    void trouble(String why);

    /** The connection broke in the middle of a response. */
    void broken(String why);
  }

  /**
   * Carries a connection until it ends.
   *
   * @param guest to the program in the sandbox
   * @param server to the host, at an address that was checked
   * @param tls whether the program speaks TLS; then so does the server on both sides
   * @param secured whether the socket to the host speaks TLS already, for a program that does not
   */
  public void forward(
      Socket guest,
      Socket server,
      String host,
      int port,
      boolean tls,
      boolean secured,
      Duration deadline,
      Listener listener)
      throws IOException {
    Destination destination = new Destination(host, port, tls || secured);
    if (!tls) {
      exchange(guest, server, destination, listener);
      return;
    }
    try (SSLSocket inner = asHost(guest, host)) {
      SSLSocket outer;
      try {
        outer = trust.secure(server, host, port, (int) deadline.toMillis());
      } catch (IOException | IllegalArgumentException e) {
        String why = "TLS with " + destination + " failed: " + e.getMessage();
        listener.trouble(why);
        refuse(inner, why);
        return;
      }
      try (outer) {
        exchange(inner, outer, destination, listener);
      }
    } catch (SSLException e) {
      listener.trouble("TLS with the program failed: " + e.getMessage());
      throw e;
    }
  }

  private void exchange(Socket guest, Socket server, Destination to, Listener listener)
      throws IOException {
    new Forwarding(guest, server, to, listener)
        .run(() -> secrets.bound(project, names, to.host(), to.port(), to.tls()));
  }

  private SSLSocket asHost(Socket guest, String host) throws IOException {
    SSLSocket socket =
        (SSLSocket)
            secrets
                .authorities()
                .context(project, host)
                .getSocketFactory()
                .createSocket(guest, null, true);
    SSLParameters parameters = socket.getSSLParameters();
    // With another protocol there would be nothing to read requests from.
    parameters.setApplicationProtocols(new String[] {"http/1.1"});
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** The program is told when it has asked for something. */
  private static void refuse(Socket guest, String why) throws IOException {
    if (MessageReader.ofRequests(guest.getInputStream()).next(false) != null) {
      Answer.BAD_GATEWAY.write(new MessageWriter(guest.getOutputStream()), why);
    }
  }
}
