package dev.atoll.server.http;

import dev.atoll.engine.net.PortConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpGenerator;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/** Writes a request to a program, by Jetty's generator; a write waits for the program. */
final class PortSender {
  private static final int HEAD_BYTES = 32 << 10;
  private static final int CHUNK_BYTES = 64;

  private final HttpGenerator generator = new HttpGenerator();
  private final MetaData.Request request;
  private final PortConnection connection;

  PortSender(MetaData.Request request, PortConnection connection) {
    this.request = request;
    this.connection = connection;
  }

  /** The head without any of the body, or the next part of the body. */
  void send(ByteBuffer content, boolean last) throws IOException {
    ByteBuffer head = null;
    ByteBuffer chunk = null;
    while (true) {
      switch (generator.generateRequest(request, head, chunk, content, last)) {
        case NEED_HEADER -> head = BufferUtil.allocate(HEAD_BYTES);
        case NEED_CHUNK, NEED_CHUNK_TRAILER -> chunk = BufferUtil.allocate(CHUNK_BYTES);
        case FLUSH -> {
          write(head);
          write(chunk);
          write(content);
          head = BufferUtil.EMPTY_BUFFER;
          chunk = null;
        }
        case CONTINUE -> {}
        case SHUTDOWN_OUT, DONE -> {
          return;
        }
        case NEED_INFO, HEADER_OVERFLOW ->
            throw new IOException("the head of the request is too large");
      }
    }
  }

  private void write(@Nullable ByteBuffer bytes) throws IOException {
    if (bytes != null && bytes.hasRemaining()) {
      connection.write(bytes);
    }
  }
}
