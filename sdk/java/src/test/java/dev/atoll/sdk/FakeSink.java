package dev.atoll.sdk;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;

/** A server that counts what it is sent and keeps nothing. */
final class FakeSink implements AutoCloseable {
  private final HttpServer server;
  private final AtomicLong bytes = new AtomicLong();

  FakeSink() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext(
        "/",
        exchange -> {
          byte[] buffer = new byte[64 << 10];
          InputStream in = exchange.getRequestBody();
          for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            bytes.addAndGet(count);
          }
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  long bytes() {
    return bytes.get();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
