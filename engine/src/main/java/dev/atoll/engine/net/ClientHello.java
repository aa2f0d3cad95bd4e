package dev.atoll.engine.net;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads the name that a TLS client asks for from the first bytes of a connection. The message may
 * come in any number of reads and be spread over any number of records; nothing in it is trusted.
 */
final class ClientHello {
  /** The most that is looked at; a client's first message is a few hundred bytes, rarely 2 KiB. */
  static final int MAX_BYTES = 16_384;

  private static final int RECORD_HEADER = 5;
  private static final int MESSAGE_HEADER = 4;
  private static final int HANDSHAKE = 22;
  private static final int CLIENT_HELLO = 1;
  private static final int SERVER_NAME = 0;
  private static final int HOST_NAME = 0;
  private static final int RANDOM_BYTES = 34;

  private ClientHello() {}

  /** What the bytes so far are. */
  sealed interface Reading {
    /** The beginning of a message whose end has not come. */
    record Incomplete() implements Reading {}

    /** Something other than TLS. */
    record NotTls() implements Reading {}

    /** TLS without a name, or broken. */
    record Nameless(String why) implements Reading {}

    /** TLS for this name, in lower case. */
    record Named(String name) implements Reading {}
  }

  /** Whether this is how TLS begins. */
  static boolean isTls(byte[] bytes) {
    return bytes.length > 0 && bytes[0] == HANDSHAKE;
  }

  static Reading read(byte[] bytes, int length) {
    if (length == 0) {
      return new Reading.Incomplete();
    }
    if (bytes[0] != HANDSHAKE || (length > 1 && bytes[1] != 3)) {
      return new Reading.NotTls();
    }
    try {
      byte[] message = message(ByteBuffer.wrap(bytes, 0, length));
      if (message.length > 0 && message[0] != CLIENT_HELLO) {
        return new Reading.Nameless("the first message is no ClientHello");
      }
      int size = size(message);
      if (size > MAX_BYTES || (length >= MAX_BYTES && message.length < size)) {
        return new Reading.Nameless("the ClientHello is longer than " + MAX_BYTES + " bytes");
      }
      return message.length < size
          ? new Reading.Incomplete()
          : name(ByteBuffer.wrap(message, MESSAGE_HEADER, size - MESSAGE_HEADER));
    } catch (Broken e) {
      return new Reading.Nameless(String.valueOf(e.getMessage()));
    }
  }

  /** Puts the handshake message together from the records that hold it, as far as they came. */
  private static byte[] message(ByteBuffer bytes) {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    while (bytes.remaining() >= RECORD_HEADER) {
      int type = bytes.get();
      int major = bytes.get();
      bytes.get();
      int length = bytes.getShort() & 0xffff;
      boolean complete =
          message.size() >= MESSAGE_HEADER && message.size() >= size(message.toByteArray());
      if (complete) {
        break;
      }
      if (type != HANDSHAKE || major != 3 || length == 0 || length > MAX_BYTES) {
        throw new Broken("a TLS record is broken");
      }
      byte[] part = new byte[Math.min(length, bytes.remaining())];
      bytes.get(part);
      message.writeBytes(part);
    }
    return message.toByteArray();
  }

  /** The length of a message with its header; at least the header while that has not come. */
  private static int size(byte[] message) {
    if (message.length < MESSAGE_HEADER) {
      return MESSAGE_HEADER;
    }
    return MESSAGE_HEADER
        + ((message[1] & 0xff) << 16 | (message[2] & 0xff) << 8 | (message[3] & 0xff));
  }

  private static Reading name(ByteBuffer hello) {
    skip(hello, RANDOM_BYTES);
    skip(hello, one(hello));
    skip(hello, two(hello));
    skip(hello, one(hello));
    if (!hello.hasRemaining()) {
      return new Reading.Nameless("the client names no host");
    }
    ByteBuffer extensions = slice(hello, two(hello));
    while (extensions.hasRemaining()) {
      int type = two(extensions);
      ByteBuffer extension = slice(extensions, two(extensions));
      if (type == SERVER_NAME) {
        return hostName(slice(extension, two(extension)));
      }
    }
    return new Reading.Nameless("the client names no host");
  }

  private static Reading hostName(ByteBuffer names) {
    int type = one(names);
    ByteBuffer name = slice(names, two(names));
    if (type != HOST_NAME || names.hasRemaining() || !name.hasRemaining()) {
      throw new Broken("the client's host name is broken");
    }
    byte[] bytes = new byte[name.remaining()];
    name.get(bytes);
    String text = new String(bytes, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    return new Reading.Named(text.endsWith(".") ? text.substring(0, text.length() - 1) : text);
  }

  private static int one(ByteBuffer bytes) {
    require(bytes, 1);
    return bytes.get() & 0xff;
  }

  private static int two(ByteBuffer bytes) {
    require(bytes, 2);
    return bytes.getShort() & 0xffff;
  }

  private static void skip(ByteBuffer bytes, int count) {
    require(bytes, count);
    bytes.position(bytes.position() + count);
  }

  private static ByteBuffer slice(ByteBuffer bytes, int length) {
    require(bytes, length);
    ByteBuffer part = bytes.slice(bytes.position(), length);
    bytes.position(bytes.position() + length);
    return part;
  }

  private static void require(ByteBuffer bytes, int count) {
    if (bytes.remaining() < count) {
      throw new Broken("the ClientHello is broken");
    }
  }

  private static final class Broken extends RuntimeException {
    Broken(String message) {
      super(message, null, false, false);
    }
  }
}
