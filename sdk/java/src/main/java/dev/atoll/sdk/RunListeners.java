package dev.atoll.sdk;

import dev.atoll.model.RunEvent;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** What is called while a run goes on; characters that arrive in two pieces are put together. */
final class RunListeners implements Consumer<RunEvent> {
  private Consumer<RunEvent> next = event -> {};

  void stdout(Consumer<String> consumer) {
    text(RunEvent.Stdout.class, consumer);
  }

  void stderr(Consumer<String> consumer) {
    text(RunEvent.Stderr.class, consumer);
  }

  void events(Consumer<RunEvent> consumer) {
    next = next.andThen(consumer);
  }

  @Override
  public void accept(RunEvent event) {
    next.accept(event);
  }

  private <E extends RunEvent.Output> void text(Class<E> type, Consumer<String> consumer) {
    Decoder decoder = new Decoder();
    events(
        event -> {
          if (type.isInstance(event)) {
            String text = decoder.decode(RunStream.bytes(type.cast(event)));
            if (!text.isEmpty()) {
              consumer.accept(text);
            }
          }
        });
  }

  private static final class Decoder {
    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private byte[] pending = new byte[0];

    String decode(byte[] bytes) {
      ByteBuffer in = ByteBuffer.allocate(pending.length + bytes.length);
      in.put(pending).put(bytes).flip();
      CharBuffer out = CharBuffer.allocate(in.remaining() + 1);
      decoder.decode(in, out, false);
      pending = new byte[in.remaining()];
      in.get(pending);
      return out.flip().toString();
    }
  }
}
