package dev.atoll.protocol;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import dev.atoll.protocol.wire.Frame;

/** Turns bytes from a guest into frames, trusting none of them, and frames into bytes. */
public final class FrameCodec {

  /** The most bytes that one encoded frame may have. */
  public static final int MAX_FRAME = 65_536;

  /**
   * The most bytes of data that a frame should carry, so that the frame stays under {@link
   * #MAX_FRAME}.
   */
  public static final int MAX_DATA = 60_000;

  /** How many metered bytes each direction of a channel may carry before the first Credit. */
  public static final int INITIAL_WINDOW = 262_144;

  /** What this generation does not know is not kept either: it would take many times its size. */
  private static final Parser<Frame> PARSER = DiscardUnknownFieldsParser.wrap(Frame.parser());

  private FrameCodec() {}

  /**
   * Reads one frame.
   *
   * @throws ProtocolException when the bytes are no frame of this generation
   */
  public static Frame decode(byte[] bytes) {
    if (bytes.length > MAX_FRAME) {
      throw new ProtocolException("frame of " + bytes.length + " bytes, at most " + MAX_FRAME);
    }
    try {
      Frame frame = PARSER.parseFrom(bytes);
      if (frame.getBodyCase() == Frame.BodyCase.BODY_NOT_SET) {
        throw new ProtocolException("frame without a body on channel " + frame.getChannel());
      }
      if (frame.getChannel() < 0) {
        throw new ProtocolException("channel above 2147483647");
      }
      return frame;
    } catch (InvalidProtocolBufferException e) {
      throw new ProtocolException("not a frame: " + e.getMessage(), e);
    }
  }

  /** Encodes one frame, without its length prefix. */
  public static byte[] encode(Frame frame) {
    int size = frame.getSerializedSize();
    if (size > MAX_FRAME) {
      throw new ProtocolException("frame of " + size + " bytes, at most " + MAX_FRAME);
    }
    return frame.toByteArray();
  }
}
