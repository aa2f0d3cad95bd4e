package dev.atoll.sdk;

import dev.atoll.model.Json;
import dev.atoll.model.RunEvent;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * What arrives on a terminal's connection. A frame is asked for when the one before was read, so a
 * slow reader slows the program down and no more than one frame waits in memory.
 */
final class TerminalOutput implements WebSocket.Listener {
  private static final byte[] LAST = new byte[0];

  private final BlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
  private final CompletableFuture<RunEvent.End> end = new CompletableFuture<>();
  private final StringBuilder text = new StringBuilder();
  private final InputStream stream = new Frames();
  private volatile @Nullable WebSocket socket;

  InputStream stream() {
    return stream;
  }

  CompletableFuture<RunEvent.End> end() {
    return end;
  }

  @Override
  public void onOpen(WebSocket webSocket) {
    socket = webSocket;
    webSocket.request(1);
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    if (bytes.length == 0) {
      webSocket.request(1);
    } else {
      frames.add(bytes);
    }
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
    text.append(data);
    if (last) {
      readEnd(text.toString());
      text.setLength(0);
    }
    webSocket.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int status, String reason) {
    finish(new EOFException("closed by the server: " + status + " " + reason));
    return null;
  }

  @Override
  public void onError(WebSocket webSocket, Throwable error) {
    finish(error);
  }

  private void readEnd(String json) {
    try {
      if (Json.lenient().readValue(json, RunEvent.class) instanceof RunEvent.End event) {
        end.complete(event);
      }
    } catch (JacksonException e) {
      // A message that this version does not know.
    }
  }

  /** Nothing more comes; a blocked reader sees the end. */
  void finish(Throwable reason) {
    end.completeExceptionally(reason);
    frames.add(LAST);
  }

  private final class Frames extends InputStream {
    private byte[] current = LAST;
    private int position;
    private boolean ended;

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (position == current.length && !next()) {
        return -1;
      }
      int count = Math.min(length, current.length - position);
      System.arraycopy(current, position, into, from, count);
      position += count;
      return count;
    }

    private boolean next() throws IOException {
      if (ended) {
        return false;
      }
      try {
        current = frames.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while reading from a terminal");
      }
      position = 0;
      ended = current.length == 0;
      WebSocket open = socket;
      if (open != null && !ended) {
        open.request(1);
      }
      return !ended;
    }
  }
}
