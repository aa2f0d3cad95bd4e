package dev.atoll.driver;

import dev.atoll.protocol.wire.Frame;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The two-way stream of frames between the host and a machine's agent. One thread reads; any thread
 * may write.
 *
 * <p>Frames are checked for size and form; what they say is not to be trusted.
 */
public interface FrameStream {

  /**
   * Waits for the next frame.
   *
   * @return null when the stream has ended
   * @throws dev.atoll.protocol.ProtocolException when the guest sent something that is no frame
   */
  @Nullable Frame read() throws IOException;

  /** Sends a frame whole; blocks while the guest does not take it. */
  void write(Frame frame) throws IOException;

  /**
   * How many of the frames that {@link #read} gives first were already retained when this stream
   * was opened; an earlier process may have seen them. 0 on a machine that was just started.
   */
  long replayed();
}
