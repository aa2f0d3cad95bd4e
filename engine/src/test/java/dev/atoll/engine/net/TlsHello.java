package dev.atoll.engine.net;

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** What a real TLS client sends first. */
final class TlsHello {
  private TlsHello() {}

  static byte[] of(@Nullable String name) {
    try {
      SSLEngine engine = SSLContext.getDefault().createSSLEngine();
      engine.setUseClientMode(true);
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setServerNames(name == null ? List.of() : List.of(new SNIHostName(name)));
      engine.setSSLParameters(parameters);
      ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
      engine.wrap(ByteBuffer.allocate(0), out);
      return Arrays.copyOf(out.array(), out.position());
    } catch (NoSuchAlgorithmException | SSLException e) {
      throw new AssertionError(e);
    }
  }

  /** The same message with an encrypted_client_hello in it, which may hide another name or none. */
  static byte[] withHiddenPart(byte[] hello) {
    int extra = 4 + 64;
    ByteBuffer out = ByteBuffer.allocate(hello.length + extra).put(hello);
    out.putShort((short) 0xfe0d).putShort((short) (extra - 4));
    int sessionId = 5 + 4 + 34;
    int suites = sessionId + 1 + out.get(sessionId);
    int compressions = suites + 2 + out.getShort(suites);
    int extensions = compressions + 1 + out.get(compressions);
    for (int length : new int[] {3, 7, extensions}) {
      out.putShort(length, (short) (out.getShort(length) + extra));
    }
    return out.array();
  }

  /** The same message spread over records of a few bytes each. */
  static byte[] inTinyRecords(byte[] hello, int size) {
    ByteBuffer out = ByteBuffer.allocate(hello.length * 6);
    for (int at = 5; at < hello.length; at += size) {
      int length = Math.min(size, hello.length - at);
      out.put((byte) 22).put((byte) 3).put((byte) 1).putShort((short) length);
      out.put(hello, at, length);
    }
    return Arrays.copyOf(out.array(), out.position());
  }
}
