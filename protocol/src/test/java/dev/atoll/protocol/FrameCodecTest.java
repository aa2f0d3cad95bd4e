package dev.atoll.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Ping;
import dev.atoll.protocol.wire.Stream;
import org.junit.jupiter.api.Test;

class FrameCodecTest {
  private static Frame data(int bytes) {
    return Frame.newBuilder()
        .setChannel(7)
        .setData(
            Data.newBuilder()
                .setStream(Stream.STDOUT)
                .setOffset(Long.MAX_VALUE)
                .setExecution(Long.MAX_VALUE)
                .setBytes(ByteString.copyFrom(new byte[bytes])))
        .build();
  }

  @Test
  void aFrameComesBackAsItWas() {
    Frame frame = data(1000);
    assertThat(FrameCodec.decode(FrameCodec.encode(frame))).isEqualTo(frame);
  }

  @Test
  void theLargestDataFitsIntoAFrame() {
    assertThat(FrameCodec.encode(data(FrameCodec.MAX_DATA)).length)
        .isLessThanOrEqualTo(FrameCodec.MAX_FRAME);
  }

  @Test
  void aFrameOverTheLimitIsRefusedOnBothSides() {
    Frame large = data(FrameCodec.MAX_FRAME);
    assertThatThrownBy(() -> FrameCodec.encode(large))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("at most 65536");
    assertThatThrownBy(() -> FrameCodec.decode(large.toByteArray()))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void aFrameWithoutABodyIsRefused() {
    byte[] empty = Frame.newBuilder().setChannel(1).build().toByteArray();
    assertThatThrownBy(() -> FrameCodec.decode(empty))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("without a body");
  }

  @Test
  void aChannelAboveTheSignedRangeIsRefused() {
    byte[] bytes =
        Frame.newBuilder().setChannel(-1).setPing(Ping.getDefaultInstance()).build().toByteArray();
    assertThatThrownBy(() -> FrameCodec.decode(bytes)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void bytesThatAreNoFrameAreRefused() {
    assertThatThrownBy(() -> FrameCodec.decode(new byte[] {(byte) 0xff, 1, 2, 3}))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void whatIsUnknownIsNotKept() {
    UnknownFieldSet.Builder unknown = UnknownFieldSet.newBuilder();
    for (int i = 0; i < 10_000; i++) {
      unknown.mergeVarintField(1000 + i % 8, 1);
    }
    Frame frame =
        Frame.newBuilder()
            .setPing(Ping.getDefaultInstance())
            .setUnknownFields(unknown.build())
            .build();
    assertThat(FrameCodec.decode(frame.toByteArray()).getUnknownFields().asMap()).isEmpty();
  }
}
