package dev.atoll.engine.inject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.engine.secret.SecretSettings;
import dev.atoll.engine.secret.Secrets;
import dev.atoll.engine.store.SecretRows;
import dev.atoll.engine.store.Store;
import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretSpec;
import dev.atoll.model.SecretValue;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections with secrets, from a program to a host and back, over real sockets. */
@Timeout(60)
final class ForwardingTest {
  private static final String VALUE = "xyzzy-4711-never-to-be-seen";
  private static final String PROJECT = "demo";
  private static final String HOST = "api.test";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  @TempDir Path folder;
  private Store store = unset();
  private Secrets secrets = unset();
  private Injector injector = unset();
  private final Noted noted = new Noted();

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null;
  }

  private static final class Noted implements SandboxSecrets.Listener {
    final List<String> used = new CopyOnWriteArrayList<>();
    final List<String> troubles = new CopyOnWriteArrayList<>();
    final List<String> broken = new CopyOnWriteArrayList<>();

    @Override
    public void used(List<String> names) {
      used.addAll(names);
    }

    @Override
    public void trouble(String why) {
      troubles.add(why);
    }

    @Override
    public void broken(String why) {
      broken.add(why);
    }
  }

  @BeforeEach
  void start() throws IOException {
    store = Store.open(folder.resolve("atoll.db"));
    // Another project's authority stands for those that the world trusts.
    Path trust = folder.resolve("trust.pem");
    secrets = new Secrets(new SecretRows(store), SecretSettings.defaults(), folder);
    Files.writeString(trust, secrets.authorities().certificate("world"));
    injector = new Injector(secrets, new SecretSettings(null, trust));
  }

  @AfterEach
  void stop() {
    store.close();
  }

  private SecretInfo bind(FakeHost host, @Nullable String header) {
    return secrets.put(
        PROJECT,
        "key",
        new SecretSpec(
            null,
            SecretValue.of(VALUE),
            List.of(SecretDomain.parse(host.scheme() + "://" + HOST + ":" + host.port())),
            header,
            null,
            null,
            null));
  }

  private FakeHost plain(FakeHost.Behaviour behaviour) throws IOException {
    return new FakeHost(null, behaviour);
  }

  private FakeHost encrypted(String name, FakeHost.Behaviour behaviour) throws IOException {
    return new FakeHost(secrets.authorities().context("world", name), behaviour);
  }

  /** What a program has in its hands. */
  private Socket connect(FakeHost host, boolean tls) throws IOException {
    try (ServerSocket meeting = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Socket program = new Socket(InetAddress.getLoopbackAddress(), meeting.getLocalPort());
      program.setSoTimeout(20_000);
      Socket guest = meeting.accept();
      Socket server = new Socket(InetAddress.getLoopbackAddress(), host.port());
      SandboxSecrets own = injector.of(PROJECT, List.of("key"));
      Thread.ofVirtual()
          .start(
              () -> {
                try (guest) {
                  own.forward(
                      guest, server, HOST, host.port(), tls, false, Duration.ofSeconds(10), noted);
                } catch (IOException e) {
                  noted.broken(String.valueOf(e.getMessage()));
                }
              });
      return tls ? secured(program, host.port()) : program;
    }
  }

  private SSLSocket secured(Socket open, int port) throws IOException {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      byte[] pem = secrets.authorities().certificate(PROJECT).getBytes(StandardCharsets.US_ASCII);
      trusted.setCertificateEntry(
          "project",
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(pem)));
      TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      SSLSocket socket =
          (SSLSocket) context.getSocketFactory().createSocket(open, HOST, port, true);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
      socket.setSSLParameters(parameters);
      return socket;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static String get(FakeHost host, String... more) {
    return "GET / HTTP/1.1\r\nHost: "
        + HOST
        + ":"
        + host.port()
        + "\r\n"
        + (more.length == 0 ? "" : String.join("\r\n", more) + "\r\n")
        + "\r\n";
  }

  private static String read(InputStream in, int bytes) throws IOException {
    return new String(in.readNBytes(bytes), StandardCharsets.ISO_8859_1);
  }

  @Test
  void aValueArrivesOverTlsAndTheProgramSeesOnlyThePlaceholder() throws IOException {
    try (FakeHost host =
        encrypted(
            HOST,
            (head, in, out) ->
                FakeHost.write(
                    out,
                    "HTTP/1.1 200 OK\r\nX-Echo: "
                        + VALUE
                        + "\r\nContent-Length: "
                        + (VALUE.length() + 4)
                        + "\r\n\r\n<<"
                        + VALUE
                        + ">>"))) {
      SecretInfo info = bind(host, null);
      try (Socket program = connect(host, true)) {
        for (int round = 1; round <= 3; round++) {
          FakeHost.write(
              program.getOutputStream(),
              get(host, "Authorization: Bearer " + info.placeholder(), "Accept-Encoding: br"));
          String head = String.valueOf(FakeHost.head(program.getInputStream()));
          String body = read(program.getInputStream(), VALUE.length() + 4);
          assertThat(head).contains("200 OK", "X-Echo: atoll-secret-").doesNotContain(VALUE);
          assertThat(body).startsWith("<<atoll-secret-").endsWith(">>").doesNotContain(VALUE);
          assertThat(host.heads).hasSize(round);
          assertThat(host.heads.getLast())
              .contains("Authorization: Bearer " + VALUE + "\r\n", "Accept-Encoding: identity")
              .doesNotContain(info.placeholder(), "br\r\n");
        }
        assertThat(((SSLSocket) program).getApplicationProtocol()).isEqualTo("http/1.1");
      }
      assertThat(noted.used).contains("key");
    }
  }

  @Test
  void aChangeIsUsedFromTheNextRequestOnAndADeletionRefuses() throws IOException {
    try (FakeHost host = plain((head, in, out) -> FakeHost.write(out, OK))) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, false)) {
        exchange(host, program);
        secrets.put(
            PROJECT,
            "key",
            new SecretSpec(null, SecretValue.of("the-new-value"), null, null, null, null, null));
        exchange(host, program);
        secrets.delete(PROJECT, "key");
        FakeHost.write(program.getOutputStream(), get(host));
        assertThat(FakeHost.head(program.getInputStream())).contains("403", "X-Atoll-Reason");
        assertThat(host.heads).hasSize(2);
        assertThat(host.heads.get(0)).contains("X-Key: " + VALUE);
        assertThat(host.heads.get(1)).contains("X-Key: the-new-value");
      }
    }
  }

  private static void exchange(FakeHost host, Socket program) throws IOException {
    FakeHost.write(program.getOutputStream(), get(host));
    assertThat(FakeHost.head(program.getInputStream())).contains("200 OK");
    assertThat(read(program.getInputStream(), 2)).isEqualTo("ok");
  }

  @Test
  void aHostThatCannotProveItsNameGetsNothing() throws IOException {
    try (FakeHost host = encrypted("impostor.test", (head, in, out) -> FakeHost.write(out, OK))) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, true)) {
        FakeHost.write(program.getOutputStream(), get(host));
        assertThat(FakeHost.head(program.getInputStream())).contains("502", "X-Atoll-Reason: TLS");
      }
      assertThat(host.heads).isEmpty();
      assertThat(noted.troubles).hasSize(1);
    }
  }

  @Test
  void requestsForOthersAndWhatIsNotHttpStayHere() throws IOException {
    try (FakeHost host = plain((head, in, out) -> FakeHost.write(out, OK))) {
      bind(host, "X-Key: {value}");
      for (String[] bad :
          List.of(
              new String[] {"421", "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"},
              new String[] {"400", "what is this\r\n\r\n"},
              new String[] {
                "400",
                "POST / HTTP/1.1\r\nHost: "
                    + HOST
                    + ":"
                    + host.port()
                    + "\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
              },
              new String[] {"400", get(host, "X-A: b\r\n folded")})) {
        try (Socket program = connect(host, false)) {
          FakeHost.write(program.getOutputStream(), bad[1]);
          assertThat(FakeHost.head(program.getInputStream())).as(bad[1]).contains(bad[0]);
          assertThat(program.getInputStream().readAllBytes()).isNotEmpty();
        }
      }
      assertThat(host.heads).isEmpty();
    }
  }

  @Test
  void eventsAreHandedOnAsTheyCome() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    try (FakeHost host =
        plain(
            (head, in, out) -> {
              FakeHost.write(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
              FakeHost.write(out, chunk("data: 1"));
              awaitQuietly(seen);
              FakeHost.write(out, chunk("data: 2") + "0\r\n\r\n");
            })) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, false)) {
        FakeHost.write(program.getOutputStream(), get(host, "Connection: close"));
        assertThat(FakeHost.head(program.getInputStream())).contains("chunked");
        assertThat(read(program.getInputStream(), 11)).contains("data: 1");
        seen.countDown();
        assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
            .contains("data: 2")
            .endsWith("0\r\n\r\n");
      }
    }
  }

  @Test
  void bodiesPassInFullWhateverTheirFraming() throws IOException {
    int size = 3_000_000;
    try (FakeHost host =
        plain(
            (head, in, out) -> {
              boolean chunked = head.contains("chunked");
              long count = chunked ? chunks(in) : in.readNBytes(size).length;
              FakeHost.write(out, "HTTP/1.1 200 OK\r\nContent-Length: " + (count + 1) + "\r\n\r\n");
              out.write(new byte[(int) count + 1]);
            })) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, false)) {
        String start = "POST / HTTP/1.1\r\nHost: " + HOST + ":" + host.port() + "\r\n";
        Thread.ofVirtual()
            .start(
                () ->
                    quietly(
                        () -> {
                          OutputStream out = program.getOutputStream();
                          FakeHost.write(out, start + "Content-Length: " + size + "\r\n\r\n");
                          out.write(new byte[size]);
                          FakeHost.write(out, start + "Transfer-Encoding: chunked\r\n\r\n");
                          for (int i = 0; i < 30; i++) {
                            FakeHost.write(out, "186a0\r\n");
                            out.write(new byte[100_000]);
                            FakeHost.write(out, "\r\n");
                          }
                          FakeHost.write(out, "0\r\n\r\n");
                        }));
        for (int i = 0; i < 2; i++) {
          assertThat(FakeHost.head(program.getInputStream()))
              .contains("Content-Length: " + (size + 1));
          assertThat(program.getInputStream().readNBytes(size + 1)).hasSize(size + 1);
        }
      }
    }
  }

  @Test
  void responsesWithoutABodyAndThoseThatEndWithTheConnection() throws IOException {
    try (FakeHost host =
        plain(
            (head, in, out) -> {
              if (head.startsWith("HEAD")) {
                FakeHost.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n");
              } else if (head.contains("X-Step: 2")) {
                FakeHost.write(out, "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n");
              } else {
                FakeHost.write(out, "HTTP/1.1 200 OK\r\n\r\nall of " + VALUE);
                throw new IOException("closes");
              }
            })) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, false)) {
        FakeHost.write(program.getOutputStream(), get(host).replace("GET", "HEAD"));
        assertThat(FakeHost.head(program.getInputStream())).contains("Content-Length: 99");
        FakeHost.write(program.getOutputStream(), get(host, "X-Step: 2"));
        assertThat(FakeHost.head(program.getInputStream())).contains("304", "ETag");
        FakeHost.write(program.getOutputStream(), get(host));
        assertThat(FakeHost.head(program.getInputStream())).contains("Connection: close");
        assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
            .startsWith("all of atoll-secret-")
            .hasSize(VALUE.length() + 7)
            .doesNotContain(VALUE);
      }
      assertThat(noted.broken).isEmpty();
    }
  }

  @Test
  void aResponseThatBreaksOffIsNotTakenForAWholeOne() throws Exception {
    try (FakeHost host =
        plain(
            (head, in, out) -> {
              FakeHost.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
              throw new IOException("breaks off");
            })) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, false)) {
        FakeHost.write(program.getOutputStream(), get(host));
        assertThat(program.getInputStream().readAllBytes()).isNotEmpty();
      }
      // The program may see the end a moment before it is noted.
      await().untilAsserted(() -> assertThat(noted.broken).isNotEmpty());
    }
  }

  @Test
  void aProgramThatWaitsToBeAskedForItsBodyIsAsked() throws IOException {
    try (FakeHost host =
        plain(
            (head, in, out) -> {
              if (head.contains("X-No: 1")) {
                FakeHost.write(out, "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n");
                return;
              }
              FakeHost.write(out, "HTTP/1.1 100 Continue\r\n\r\n");
              assertThat(in.readNBytes(4)).hasSize(4);
              FakeHost.write(out, OK);
            })) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, false)) {
        String wait = "Content-Length: 4\r\nExpect: 100-continue";
        FakeHost.write(program.getOutputStream(), get(host, wait).replace("GET", "PUT"));
        assertThat(FakeHost.head(program.getInputStream())).contains("100 Continue");
        FakeHost.write(program.getOutputStream(), "body");
        assertThat(FakeHost.head(program.getInputStream())).contains("200 OK", "keep-alive");
        read(program.getInputStream(), 2);
        FakeHost.write(program.getOutputStream(), get(host, wait, "X-No: 1").replace("GET", "PUT"));
        assertThat(FakeHost.head(program.getInputStream())).contains("417", "Connection: close");
        assertThat(program.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void aWebSocketIsATunnelAfterItsRequest() throws IOException {
    try (FakeHost host =
        plain(
            (head, in, out) -> {
              FakeHost.write(
                  out,
                  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                      + "Upgrade: websocket\r\n\r\nhello ");
              byte[] said = in.readNBytes(4);
              out.write(said);
              FakeHost.write(out, " " + VALUE + ".");
              throw new IOException("closes");
            })) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, false)) {
        FakeHost.write(
            program.getOutputStream(), get(host, "Connection: Upgrade", "Upgrade: websocket"));
        assertThat(FakeHost.head(program.getInputStream())).contains("101", "Upgrade: websocket");
        FakeHost.write(program.getOutputStream(), "ping");
        assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
            .startsWith("hello ping atoll-secret-")
            .endsWith(".")
            .doesNotContain(VALUE);
      }
      assertThat(host.heads.getFirst()).contains("X-Key: " + VALUE, "Upgrade: websocket");
    }
  }

  @Test
  void theProgramDoesNotChooseTheScheme() throws IOException {
    try (FakeHost secure = encrypted(HOST, (head, in, out) -> FakeHost.write(out, OK));
        FakeHost open = plain((head, in, out) -> FakeHost.write(out, OK))) {
      bind(secure, "X-Key: {value}");
      try (Socket program = connect(secure, false)) {
        FakeHost.write(program.getOutputStream(), get(secure));
        assertThat(FakeHost.head(program.getInputStream())).contains("403", "without TLS");
      }
      bind(open, "X-Key: {value}");
      // A host that speaks TLS where the secret goes without: nothing is sent there either.
      secrets.put(
          PROJECT,
          "key",
          new SecretSpec(
              null,
              SecretValue.of(VALUE),
              List.of(SecretDomain.parse("http://" + HOST + ":" + secure.port())),
              null,
              null,
              null,
              null));
      try (Socket program = connect(secure, true)) {
        FakeHost.write(program.getOutputStream(), get(secure));
        assertThat(FakeHost.head(program.getInputStream())).contains("403", "over TLS");
      }
      assertThat(secure.heads).isEmpty();
      assertThat(open.heads).isEmpty();
    }
  }

  @Test
  void anAnswerThatCannotBeSearchedIsNotHandedOn() throws IOException {
    for (String odd :
        List.of(
            "200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6",
            "200 OK\r\nContent-Encoding: identity, br\r\nContent-Length: 6",
            "200 OK\r\nTransfer-Encoding: gzip, chunked",
            "206 Partial Content\r\nContent-Range: bytes 0-5/9\r\nContent-Length: 6")) {
      String body = odd.endsWith("chunked") ? chunk("hidden") + "0\r\n\r\n" : "hidden";
      try (FakeHost host =
          plain((head, in, out) -> FakeHost.write(out, "HTTP/1.1 " + odd + "\r\n\r\n" + body))) {
        bind(host, "X-Key: {value}");
        try (Socket program = connect(host, false)) {
          FakeHost.write(
              program.getOutputStream(), get(host, "Accept-Encoding: gzip", "Range: bytes=0-5"));
          String answer =
              new String(program.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
          assertThat(answer).as(odd).doesNotContain("hidden");
        }
        assertThat(host.heads.getFirst()).doesNotContain("gzip", "Range");
      }
    }
  }

  @Test
  void framesOfAWebSocketAreNotCompressed() throws IOException {
    try (FakeHost host =
        plain(
            (head, in, out) -> {
              FakeHost.write(
                  out,
                  String.join(
                      "\r\n",
                      "HTTP/1.1 101 Switching Protocols",
                      "Connection: Upgrade",
                      "Upgrade: websocket",
                      "Sec-WebSocket-Extensions: permessage-deflate",
                      "",
                      "hidden"));
              throw new IOException("closes");
            })) {
      bind(host, "X-Key: {value}");
      try (Socket program = connect(host, false)) {
        FakeHost.write(
            program.getOutputStream(),
            get(
                host,
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Extensions: permessage-deflate"));
        assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
            .contains("502")
            .doesNotContain("hidden");
      }
      assertThat(host.heads.getFirst()).doesNotContain("Extensions");
    }
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
  }

  private static long chunks(InputStream in) throws IOException {
    long count = 0;
    while (true) {
      StringBuilder line = new StringBuilder();
      while (line.indexOf("\r\n") < 0) {
        line.append((char) in.read());
      }
      int size = Integer.parseInt(line.toString().strip(), 16);
      count += in.readNBytes(size).length;
      in.readNBytes(2);
      if (size == 0) {
        return count;
      }
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void quietly(Work work) {
    try {
      work.run();
    } catch (IOException e) {
      // The test looks at the other side.
    }
  }

  private static void awaitQuietly(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new IOException("the first event did not arrive");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
