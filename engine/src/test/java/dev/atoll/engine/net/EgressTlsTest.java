package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.protocol.wire.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EgressTlsTest {
  private static final NetworkPolicy OPEN = NetworkPolicy.of(NetworkMode.OPEN);

  @TempDir Path folder;

  @Test
  void tlsForTheAskedNamePasses() throws IOException {
    byte[] hello = TlsHello.of("good.test");
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.name("good.test");
      int id = harness.guest.connect("good.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      harness.guest.data(id, Arrays.copyOf(hello, 9));
      harness.guest.data(id, Arrays.copyOfRange(hello, 9, hello.length));
      harness.guest.eof(id);
      ByteArrayOutputStream echoed = new ByteArrayOutputStream();
      for (Frame f = harness.guest.next(id); !f.hasEof(); f = harness.guest.next(id)) {
        echoed.writeBytes(f.getData().getBytes().toByteArray());
      }
      assertThat(echoed.toByteArray()).isEqualTo(hello);
    }
  }

  @Test
  void tlsForAnotherNameReachesNobodyAndIsOnRecord() throws IOException {
    AtomicLong reached = new AtomicLong();
    try (FakeInternet server =
            new FakeInternet(
                socket -> reached.addAndGet(socket.getInputStream().readAllBytes().length));
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.name("good.test");
      int id = harness.guest.connect("good.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      harness.guest.data(id, TlsHello.of("hidden.test"));
      assertThat(harness.guest.next(id).hasClose()).isTrue();
      await()
          .untilAsserted(
              () ->
                  assertThat(harness.record())
                      .anyMatch(
                          c ->
                              c.verdict() == ConnectionVerdict.REFUSED
                                  && String.valueOf(c.reason()).startsWith("sni_mismatch")
                                  && String.valueOf(c.reason()).contains("hidden.test")));
      assertThat(reached).hasValue(0);
      assertThat(harness.record().getFirst().bytesSent()).isZero();
    }
  }
}
