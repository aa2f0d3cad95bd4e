package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ClientHelloTest {
  private static final PolicyCheck POLICY =
      new PolicyCheck(
          NetworkPolicy.of(NetworkMode.OPEN).denying(NetworkRule.parse("bad.test")),
          null,
          Registries.none(),
          Registries.none(),
          new Advice("sbx_1"));

  @Test
  void theNameIsFoundHoweverTheMessageIsCut() {
    byte[] hello = TlsHello.of("www.Example.test");
    for (int length = 0; length < hello.length; length++) {
      assertThat(ClientHello.read(hello, length))
          .isInstanceOf(ClientHello.Reading.Incomplete.class);
    }
    assertThat(ClientHello.read(hello, hello.length))
        .isEqualTo(new ClientHello.Reading.Named("www.example.test"));
    byte[] tiny = TlsHello.inTinyRecords(hello, 7);
    assertThat(ClientHello.read(tiny, tiny.length))
        .isEqualTo(new ClientHello.Reading.Named("www.example.test"));
  }

  /** What is hidden cannot be seen, but it does not get in the way of what can. */
  @Test
  void aMessageWithAHiddenPartIsJudgedByItsOuterName() {
    byte[] hello = TlsHello.withHiddenPart(TlsHello.of("outer.test"));
    assertThat(ClientHello.read(hello, hello.length))
        .isEqualTo(new ClientHello.Reading.Named("outer.test"));
    byte[] nameless = TlsHello.withHiddenPart(TlsHello.of(null));
    assertThat(ClientHello.read(nameless, nameless.length))
        .isInstanceOf(ClientHello.Reading.Nameless.class);
  }

  @Test
  void aMessageWithoutANameHasNone() {
    byte[] hello = TlsHello.of(null);
    assertThat(ClientHello.read(hello, hello.length))
        .isInstanceOf(ClientHello.Reading.Nameless.class);
  }

  @Test
  void otherProtocolsAreNotTls() {
    for (String text : new String[] {"GET / HTTP/1.1", "SSH-2.0-x", "\u0016\u0001x"}) {
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      assertThat(ClientHello.read(bytes, bytes.length))
          .isInstanceOf(ClientHello.Reading.NotTls.class);
    }
  }

  @Test
  void garbageNeverThrowsAndNeverWaitsForMoreThanItsBound() {
    Random random = new Random(42);
    byte[] hello = TlsHello.of("www.example.test");
    for (int round = 0; round < 20_000; round++) {
      byte[] broken = hello.clone();
      for (int change = 0; change < 1 + random.nextInt(6); change++) {
        broken[random.nextInt(broken.length)] = (byte) random.nextInt();
      }
      assertThat(ClientHello.read(broken, random.nextInt(broken.length + 1))).isNotNull();
    }
    byte[] endless = new byte[ClientHello.MAX_BYTES];
    endless[0] = 22;
    endless[1] = 3;
    endless[3] = 0x3f;
    endless[4] = (byte) 0xf0;
    endless[5] = 1;
    endless[6] = 0x00;
    endless[7] = 0x3f;
    endless[8] = (byte) 0xff;
    assertThat(ClientHello.read(endless, endless.length))
        .isInstanceOf(ClientHello.Reading.Nameless.class);
  }

  @Test
  void bytesPassWhenTheNameIsTheOneAskedFor() {
    byte[] hello = TlsHello.of("good.test");
    FirstBytes first = new FirstBytes(new Target("good.test", null, 8443), POLICY);
    assertThat(first.offer(Arrays.copyOf(hello, 3))).isNull();
    assertThat(first.trouble()).isNull();
    assertThat(first.offer(Arrays.copyOfRange(hello, 3, hello.length))).isEqualTo(hello);
  }

  @Test
  void anotherNameOrNoneIsTrouble() {
    assertThat(trouble("good.test", 443, TlsHello.of("other.test"))).contains("other.test");
    assertThat(trouble("good.test", 8443, TlsHello.of("other.test"))).contains("other.test");
    assertThat(trouble("good.test", 443, TlsHello.of(null))).contains("no host");
    assertThat(trouble("good.test", 443, "GET /".getBytes(StandardCharsets.UTF_8)))
        .contains("no TLS");
    assertThat(trouble("good.test", 80, "GET /".getBytes(StandardCharsets.UTF_8))).isNull();
  }

  @Test
  void anAddressMayNotBeUsedForADeniedName() {
    assertThat(trouble("192.0.2.1", 443, TlsHello.of("bad.test"))).contains("bad.test");
    assertThat(trouble("192.0.2.1", 443, TlsHello.of("good.test"))).isNull();
    assertThat(trouble("192.0.2.1", 443, TlsHello.of(null))).isNull();
  }

  @Test
  void anEndInTheMiddleOfTheMessageIsTrouble() {
    FirstBytes first = new FirstBytes(new Target("good.test", null, 443), POLICY);
    assertThat(first.offer(Arrays.copyOf(TlsHello.of("good.test"), 20))).isNull();
    assertThat(first.end()).isNull();
    assertThat(first.trouble()).isNotNull();
  }

  private static @org.jspecify.annotations.Nullable String trouble(
      String host, int port, byte[] bytes) {
    FirstBytes first = new FirstBytes(Target.parse(host, port), POLICY);
    byte[] passed = first.offer(bytes);
    assertThat(passed == null).isEqualTo(first.trouble() != null);
    return first.trouble();
  }
}
