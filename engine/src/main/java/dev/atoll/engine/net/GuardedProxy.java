package dev.atoll.engine.net;

import dev.atoll.model.AtollException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An HTTP proxy on loopback for a client of the server's own that goes where strangers send it: it
 * connects to where its {@link ProxyGate} lets it, and to nothing else, whatever names and
 * redirects say. A name is looked up once, and what is dialled is what was checked. TLS passes
 * through it.
 */
public final class GuardedProxy implements AutoCloseable {
  private static final int MOST_HEAD = 64 << 10;
  private static final int PATIENCE_MILLIS = 120_000;
  private static final String REFUSAL = "HTTP/1.1 403 Refused\r\nContent-Length: 0\r\n\r\n";

  private final ServerSocket listener;
  private final Resolver resolver;
  private final Dialer dialer;
  private final ProxyGate gate;
  private final Duration deadline;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile String refused = "";

  GuardedProxy(Resolver resolver, Dialer dialer, ProxyGate gate, Duration deadline)
      throws IOException {
    this.resolver = resolver;
    this.dialer = dialer;
    this.gate = gate;
    this.deadline = deadline;
    this.listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("guarded-proxy").start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Why it refused the last connection that it refused; empty when it refused none. */
  public String refused() {
    return refused;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        open.add(client);
        Thread.ofVirtual().name("guarded-proxy-connection").start(() -> serve(client));
      } catch (IOException e) {
        // Closed.
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      client.setSoTimeout(PATIENCE_MILLIS);
      InputStream in = new BufferedInputStream(client.getInputStream());
      List<String> head = head(in);
      String[] words = head.isEmpty() ? new String[0] : head.getFirst().split(" ", -1);
      if (words.length != 3) {
        return;
      }
      boolean tunnel = words[0].equals("CONNECT");
      URI uri = URI.create(tunnel ? "https://" + words[1] : words[1]);
      int port = uri.getPort() > 0 ? uri.getPort() : tunnel ? 443 : 80;
      try (Socket server = connect(String.valueOf(uri.getHost()), port, tunnel)) {
        open.add(server);
        if (tunnel) {
          write(client, "HTTP/1.1 200 OK\r\n\r\n");
        } else {
          write(server, request(words, uri, head));
        }
        splice(client, in, server);
      } catch (ProxyGate.Refused e) {
        refused = String.valueOf(e.getMessage());
        write(client, REFUSAL);
      }
    } catch (IOException | IllegalArgumentException e) {
      // Whoever broke off, the other side sees the end.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(client);
    }
  }

  private Socket connect(String host, int port, boolean tunnel)
      throws IOException, InterruptedException {
    Target target;
    try {
      target = Target.parse(host, port);
    } catch (AtollException e) {
      throw new ProxyGate.Refused(String.valueOf(e.getMessage()));
    }
    try {
      List<InetAddress> allowed = gate.pass(target, tunnel, () -> addresses(target));
      Socket socket = dialer.dial(allowed, port, deadline).socket();
      gate.ended(target, null);
      return socket;
    } catch (IOException e) {
      gate.ended(target, String.valueOf(e.getMessage()));
      throw e;
    }
  }

  private List<InetAddress> addresses(Target target) {
    InetAddress literal = target.address();
    if (literal != null) {
      return List.of(literal);
    }
    return resolver.resolve(target.host(), deadline) instanceof Resolver.Answer.Found found
        ? found.addresses()
        : List.of();
  }

  /** One request a connection, so that each is looked at. */
  private static String request(String[] words, URI uri, List<String> head) {
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    StringBuilder text = new StringBuilder(words[0] + " " + path + query + " HTTP/1.1\r\n");
    for (String line : head.subList(1, head.size())) {
      String name = line.toLowerCase(Locale.ROOT);
      if (!name.startsWith("connection:") && !name.startsWith("proxy-")) {
        text.append(line).append("\r\n");
      }
    }
    return text.append("Connection: close\r\n\r\n").toString();
  }

  private static void splice(Socket client, InputStream fromClient, Socket server)
      throws IOException, InterruptedException {
    server.setSoTimeout(PATIENCE_MILLIS);
    Thread up =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    fromClient.transferTo(server.getOutputStream());
                    server.shutdownOutput();
                  } catch (IOException e) {
                    // The other direction ends too.
                  }
                });
    try {
      server.getInputStream().transferTo(client.getOutputStream());
    } finally {
      client.close();
      server.close();
      up.join();
    }
  }

  private static List<String> head(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int bytes = 0; bytes < MOST_HEAD; bytes++) {
      int b = in.read();
      if (b < 0) {
        return List.of();
      }
      if (b != '\n') {
        line.write(b);
        continue;
      }
      String text = line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
      line.reset();
      if (text.isEmpty()) {
        return lines;
      }
      lines.add(text);
    }
    return List.of();
  }

  private static void write(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      // Closed as far as it goes.
    }
  }
}
