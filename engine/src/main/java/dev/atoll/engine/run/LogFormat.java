package dev.atoll.engine.run;

import dev.atoll.model.Json;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RawJson;
import dev.atoll.model.RunEvent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;

/**
 * The items of a {@link RunLog} as bytes. What sandboxes show stays text that nobody reads: a tree
 * of a million empty lists is built from it neither when it comes nor when it comes back.
 */
final class LogFormat {
  private static final int STDOUT = 0;
  private static final int STDERR = 1;
  private static final int RESULT = 2;
  private static final int DISPLAY = 3;
  private static final int EVENT = 4;
  private static final int MARKED_DISPLAY = 5;

  private LogFormat() {}

  /** All items after the first. */
  static byte[] encode(LogItem first) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      for (LogItem item = first.next; item != null; item = item.next) {
        // Of what was replaced nothing is left.
        if (item.event != null || item.output != null) {
          encode(out, item);
        }
      }
    }
    return bytes.toByteArray();
  }

  private static void encode(DataOutputStream out, LogItem item) throws IOException {
    RunEvent event = item.event;
    switch (event) {
      case null -> {
        out.writeByte(item.stderr ? STDERR : STDOUT);
        out.writeLong(item.offset);
        bytes(out, item.bytes());
      }
      case RunEvent.Result result -> {
        out.writeByte(RESULT);
        out.writeLong(item.offset);
        bundle(out, result.data());
      }
      case RunEvent.Display shown when shown.equals(new RunEvent.Display(shown.data())) -> {
        out.writeByte(DISPLAY);
        out.writeLong(item.offset);
        bundle(out, shown.data());
      }
      case RunEvent.Display shown -> {
        out.writeByte(MARKED_DISPLAY);
        out.writeLong(item.offset);
        // What it holds besides the data is short, and written as the event is on the wire.
        RunEvent mark = shown.with(MimeBundle.ofText(""));
        bytes(out, Json.lenient().writerFor(RunEvent.class).writeValueAsBytes(mark));
        bundle(out, shown.data());
      }
      default -> {
        out.writeByte(EVENT);
        out.writeLong(item.offset);
        bytes(out, Json.lenient().writerFor(RunEvent.class).writeValueAsBytes(event));
      }
    }
  }

  private static void bundle(DataOutputStream out, MimeBundle bundle) throws IOException {
    out.writeInt(bundle.forms().size());
    for (Map.Entry<String, Object> form : bundle.forms().entrySet()) {
      bytes(out, form.getKey().getBytes(StandardCharsets.UTF_8));
      out.writeBoolean(form.getValue() instanceof RawJson);
      bytes(out, String.valueOf(form.getValue()).getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** The items, behind an empty first one. */
  static LogItem decode(byte[] bytes) throws IOException {
    LogItem first = new LogItem(null, 0);
    LogItem last = first;
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        last.next = decode(in);
        last = last.next;
      }
    } catch (JacksonException e) {
      throw new IOException("not the log of a run", e);
    }
    return first;
  }

  private static LogItem decode(DataInputStream in) throws IOException {
    int kind = in.readByte();
    long offset = in.readLong();
    return switch (kind) {
      case STDOUT, STDERR -> new LogItem(kind == STDERR, offset, bytes(in));
      case RESULT -> new LogItem(new RunEvent.Result(bundle(in)), offset);
      case DISPLAY -> new LogItem(new RunEvent.Display(bundle(in)), offset);
      case MARKED_DISPLAY -> {
        RunEvent mark = Json.lenient().readValue(bytes(in), RunEvent.class);
        MimeBundle data = bundle(in);
        yield new LogItem(mark instanceof RunEvent.Display shown ? shown.with(data) : mark, offset);
      }
      case EVENT -> new LogItem(Json.lenient().readValue(bytes(in), RunEvent.class), offset);
      default -> throw new IOException("an item of kind " + kind);
    };
  }

  private static MimeBundle bundle(DataInputStream in) throws IOException {
    Map<String, Object> forms = new LinkedHashMap<>();
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      String type = new String(bytes(in), StandardCharsets.UTF_8);
      boolean raw = in.readBoolean();
      String text = new String(bytes(in), StandardCharsets.UTF_8);
      forms.put(type, raw ? new RawJson(text) : text);
    }
    return new MimeBundle(forms);
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("an item of " + length + " bytes in a shorter file");
    }
    return in.readNBytes(length);
  }
}
