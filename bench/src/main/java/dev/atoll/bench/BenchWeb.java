package dev.atoll.bench;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What sandboxes fetch from while they are measured: a web server and an echo, on an address of
 * this host that the server under test has to be told of.
 */
final class BenchWeb implements AutoCloseable {
  static final String ADDRESS = "127.77.77.77";
  static final int BIG_BYTES = 128 << 20;
  private static final int BACKLOG = 4096;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer web;
  private final ServerSocket echo;

  BenchWeb() throws IOException {
    InetAddress address = InetAddress.ofLiteral(ADDRESS);
    web = HttpServer.create(new InetSocketAddress(address, 0), BACKLOG);
    web.setExecutor(threads);
    byte[] block = new byte[1 << 20];
    web.createContext(
        "/big",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, BIG_BYTES);
            OutputStream out = exchange.getResponseBody();
            for (int sent = 0; sent < BIG_BYTES; sent += block.length) {
              out.write(block);
            }
          }
        });
    web.createContext(
        "/small",
        exchange -> {
          try (exchange) {
            exchange.getResponseHeaders().set("Connection", "close");
            exchange.sendResponseHeaders(200, 1);
            exchange.getResponseBody().write('x');
          }
        });
    web.start();
    echo = new ServerSocket();
    echo.bind(new InetSocketAddress(address, 0), BACKLOG);
    threads.execute(this::accept);
  }

  private void accept() {
    while (!echo.isClosed()) {
      try {
        Socket one = echo.accept();
        threads.execute(() -> repeat(one));
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void repeat(Socket one) {
    try (one;
        InputStream in = one.getInputStream()) {
      for (int b = in.read(); b >= 0; b = in.read()) {
        one.getOutputStream().write(b);
      }
    } catch (IOException e) {
      // It left.
    }
  }

  String url(String path) {
    return "http://" + ADDRESS + ":" + web.getAddress().getPort() + path;
  }

  int echoPort() {
    return echo.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    web.stop(0);
    echo.close();
    threads.shutdownNow();
  }
}
