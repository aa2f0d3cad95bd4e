package dev.atoll.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A port of this machine that stands for a port of a sandbox, until it is closed. Each connection
 * to it is one to the program in the sandbox.
 */
public final class PortForward implements AutoCloseable {
  private static final int BACKLOG = 50;
  private static final int BUFFER = 32 << 10;

  private final SandboxPorts ports;
  private final int remote;
  private final ServerSocket server;
  private final Consumer<ApiException> onFailure;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  private PortForward(
      SandboxPorts ports, int remote, ServerSocket server, Consumer<ApiException> onFailure) {
    this.ports = ports;
    this.remote = remote;
    this.server = server;
    this.onFailure = onFailure;
  }

  static PortForward start(
      SandboxPorts ports, InetSocketAddress local, int remote, Consumer<ApiException> onFailure)
      throws IOException {
    InetAddress address = local.getAddress();
    ServerSocket server = new ServerSocket(local.getPort(), BACKLOG, address);
    PortForward forward = new PortForward(ports, remote, server, onFailure);
    daemon("atoll-forward-" + server.getLocalPort(), forward::accept);
    return forward;
  }

  /** Where it listens. */
  public InetSocketAddress local() {
    return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
  }

  /** The port in the sandbox. */
  public int remote() {
    return remote;
  }

  /** Listens no more, and closes the connections that stand. */
  @Override
  public void close() {
    closeQuietly(server);
    open.forEach(PortForward::closeQuietly);
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket caller = server.accept();
        daemon("atoll-forwarded", () -> serve(caller));
      } catch (IOException e) {
        // Closed, or one caller less.
      }
    }
  }

  private void serve(Socket caller) {
    open.add(caller);
    try (caller;
        PortStream program = ports.connect(remote)) {
      caller.setTcpNoDelay(true);
      Thread up =
          daemon(
              "atoll-forward-up",
              () -> {
                if (!carry(caller::getInputStream, program::output, program.output()::close)) {
                  closeQuietly(program);
                }
              });
      if (!carry(program::input, caller::getOutputStream, caller::shutdownOutput)) {
        // Whoever has read half must not take it for the whole.
        caller.setSoLinger(true, 0);
        closeQuietly(caller);
      }
      up.join();
    } catch (ApiException e) {
      onFailure.accept(e);
    } catch (IOException e) {
      // The caller is gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(caller);
    }
  }

  private interface Opening<T> {
    T open() throws IOException;
  }

  private interface Ending {
    void end() throws IOException;
  }

  /** Carries one direction to its end; false when it broke. */
  private static boolean carry(Opening<InputStream> from, Opening<OutputStream> to, Ending ending) {
    try {
      byte[] buffer = new byte[BUFFER];
      InputStream in = from.open();
      OutputStream out = to.open();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        out.write(buffer, 0, count);
      }
      ending.end();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      // It is given up either way.
    }
  }
}
