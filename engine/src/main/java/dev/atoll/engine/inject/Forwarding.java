package dev.atoll.engine.inject;

import dev.atoll.engine.secret.BoundSecret;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.function.Supplier;

/**
 * One connection with requests in it. The caller's thread forwards requests, a second one hands
 * responses on; either finds out when the other closes its socket.
 */
final class Forwarding {
  private final Socket guest;
  private final Socket server;
  private final Destination destination;
  private final SandboxSecrets.Listener listener;
  private final Exchanges exchanges = new Exchanges();
  private volatile boolean over;

  Forwarding(
      Socket guest, Socket server, Destination destination, SandboxSecrets.Listener listener) {
    this.guest = guest;
    this.server = server;
    this.destination = destination;
    this.listener = listener;
  }

  /** Returns when the connection has ended. */
  void run(Supplier<List<BoundSecret>> secrets) throws IOException {
    MessageWriter toGuest = new MessageWriter(guest.getOutputStream());
    Requests requests = new Requests(destination, secrets, listener, exchanges);
    Thread down = Thread.ofVirtual().name("inject-down").start(() -> handOn(toGuest));
    try {
      requests.forward(
          MessageReader.ofRequests(guest.getInputStream()),
          new MessageWriter(server.getOutputStream()),
          toGuest);
    } catch (IOException e) {
      if (!over) {
        throw e;
      }
    } finally {
      over = true;
      server.close();
      join(down);
      guest.close();
    }
  }

  private void handOn(MessageWriter toGuest) {
    try (guest;
        server) {
      carry(toGuest);
    } catch (IOException _) {
      // Of closing alone, and then it is closed all the same.
    } finally {
      exchanges.close();
    }
  }

  private void carry(MessageWriter toGuest) {
    try {
      new Responses(exchanges, this::broke)
          .handOn(MessageReader.ofResponses(server.getInputStream()), toGuest);
      over = true;
    } catch (IOException e) {
      broke(e);
    }
  }

  /** The program must not take a part for the whole, so its connection is not ended as usual. */
  private void broke(IOException e) {
    if (!over) {
      over = true;
      listener.broken(String.valueOf(e.getMessage()));
    }
  }

  private static void join(Thread down) throws IOException {
    try {
      down.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
