package dev.atoll.driver.testkit;

import com.google.protobuf.ByteString;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Credit;
import dev.atoll.protocol.wire.Failed;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.WriteFile;
import dev.atoll.protocol.wire.Written;

/** A file on its way into a fake guest; it appears whole or not at all. */
final class FakeUpload implements FakeJob {
  private final WriteFile request;
  private ByteString bytes = ByteString.EMPTY;

  FakeUpload(WriteFile request) {
    this.request = request;
  }

  @Override
  public void input(FakeGuest guest, FakeChannel channel, byte[] more) {
    bytes = bytes.concat(ByteString.copyFrom(more));
    Credit.Builder credit =
        Credit.newBuilder().setLimit(channel.received + FrameCodec.INITIAL_WINDOW);
    channel.send(guest.output(), Frame.newBuilder().setCredit(credit));
  }

  @Override
  public void endOfInput(FakeGuest guest, FakeChannel channel) {
    FakeState state = guest.state();
    if (state.guestDiskBytes > 0 && state.files.bytes() + bytes.size() > state.guestDiskBytes) {
      throw new FakeFiles.Refusal(Failed.Reason.NO_SPACE, "No space left on device");
    }
    state.files.write(
        request.getPath(), bytes, request.getMode(), request.getParents(), request.getAppend());
    channel.send(
        guest.output(), Frame.newBuilder().setWritten(Written.newBuilder().setBytes(bytes.size())));
    state.channels.remove(channel.id);
  }
}
