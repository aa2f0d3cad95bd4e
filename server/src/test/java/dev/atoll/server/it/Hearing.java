package dev.atoll.server.it;

import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Keeps what a WebSocket says, message by message. */
record Hearing(BlockingQueue<String> heard) implements WebSocket.Listener {
  Hearing() {
    this(new LinkedBlockingQueue<>());
  }

  /** The next message; null when none comes in a minute. */
  @Nullable String next() throws InterruptedException {
    return heard.poll(1, TimeUnit.MINUTES);
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
    heard.add(data.toString());
    socket.request(1);
    return null;
  }
}
