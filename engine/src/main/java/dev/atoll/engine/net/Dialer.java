package dev.atoll.engine.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/** Connects to one of several addresses of a host. */
interface Dialer {

  /** A connection that stands, and the address that took it. */
  record Dialled(Socket socket, InetAddress address) {}

  /**
   * Connects to the address that answers first.
   *
   * @param addresses none of them has to be checked any more, and no other is dialled
   * @throws java.net.SocketTimeoutException when none has answered in time
   * @throws IOException when all have refused
   */
  Dialled dial(List<InetAddress> addresses, int port, Duration deadline)
      throws IOException, InterruptedException;
}
