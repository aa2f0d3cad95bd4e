package dev.atoll.sdk;

import dev.atoll.model.Json;
import dev.atoll.model.RunEvent;
import java.io.EOFException;
import java.io.InputStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** What arrives on a terminal's connection. */
final class TerminalOutput implements WebSocket.Listener {
  private final SocketFrames frames = new SocketFrames();
  private final CompletableFuture<RunEvent.End> end = new CompletableFuture<>();
  private final StringBuilder text = new StringBuilder();

  InputStream stream() {
    return frames;
  }

  CompletableFuture<RunEvent.End> end() {
    return end;
  }

  @Override
  public void onOpen(WebSocket webSocket) {
    frames.open(webSocket);
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    frames.add(bytes);
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
    frames.end();
  }
}
