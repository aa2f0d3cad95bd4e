package dev.atoll.engine.inject;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.engine.secret.BoundSecret;
import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretPlace;
import dev.atoll.model.SecretValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of one request, and of what comes back. */
final class InjectionTest {
  private static final String VALUE = "s3cr3t/with+signs";
  private static final String PLACEHOLDER = "atoll-secret-0123456789abcdef";

  private static BoundSecret secret(
      @Nullable String header, @Nullable String query, SecretPlace... places) {
    return new BoundSecret(
        new SecretInfo(
            "key",
            List.of(SecretDomain.parse("api.test:443")),
            header,
            query,
            List.of(places),
            "KEY",
            PLACEHOLDER,
            Instant.EPOCH,
            Instant.EPOCH),
        SecretValue.of(VALUE));
  }

  private static Injection inject(BoundSecret secret, String target, String... fields) {
    List<HttpField> parsed =
        List.of(fields).stream()
            .map(f -> new HttpField(f.split(": ", 2)[0], f.split(": ", 2)[1]))
            .toList();
    return Injection.into(target, parsed, List.of(secret));
  }

  private static List<String> text(Injection injection) {
    return injection.fields().stream().map(f -> f.getName() + ": " + f.getValue()).toList();
  }

  @Test
  void thePlaceholderIsReplacedInHeadersForCredentials() {
    Injection injection =
        inject(
            secret(null, null),
            "/a",
            "Authorization: Bearer " + PLACEHOLDER,
            "x-goog-api-key: " + PLACEHOLDER,
            "Private-Token: " + PLACEHOLDER,
            "X-Other: same");
    assertThat(text(injection))
        .containsExactly(
            "Authorization: Bearer " + VALUE,
            "x-goog-api-key: " + VALUE,
            "Private-Token: " + VALUE,
            "X-Other: same",
            "Accept-Encoding: identity");
    assertThat(injection.used()).containsExactly("key");
    assertThat(injection.left()).isEmpty();
  }

  @Test
  void elsewhereItIsReplacedOnlyWhereTheSecretSays() {
    String target = "/bot" + PLACEHOLDER + "/send?k=" + PLACEHOLDER;
    String header = "User-Agent: " + PLACEHOLDER;
    Injection none = inject(secret(null, null), target, header);
    assertThat(none.target()).isEqualTo(target);
    assertThat(text(none)).contains(header);
    assertThat(none.used()).isEmpty();
    assertThat(none.left()).containsExactly("key");
    assertThat(inject(secret(null, null, SecretPlace.PATH), target).target())
        .isEqualTo("/bots3cr3t%2Fwith%2Bsigns/send?k=" + PLACEHOLDER);
    assertThat(inject(secret(null, null, SecretPlace.QUERY), target).target())
        .isEqualTo("/bot" + PLACEHOLDER + "/send?k=s3cr3t%2Fwith%2Bsigns");
    Injection headers = inject(secret(null, null, SecretPlace.HEADERS), "/", header);
    assertThat(text(headers)).contains("User-Agent: " + VALUE);
    assertThat(headers.left()).isEmpty();
  }

  @Test
  void nothingIsAskedForThatCouldNotBeSearchedForTheValue() {
    Injection injection =
        inject(
            secret(null, null),
            "/",
            "Accept-Encoding: gzip, br",
            "accept-encoding: zstd",
            "Range: bytes=0-3",
            "If-Range: x",
            "Accept-Charset: utf-16",
            "A-IM: gzip",
            "Sec-WebSocket-Extensions: permessage-deflate",
            "Sec-WebSocket-Key: same");
    assertThat(text(injection))
        .containsExactly("Sec-WebSocket-Key: same", "Accept-Encoding: identity");
  }

  @Test
  void credentialsOfBasicAreOpenedForIt() {
    Injection injection =
        inject(secret(null, null), "/", "Authorization: Basic " + base64("git:" + PLACEHOLDER));
    assertThat(text(injection)).contains("Authorization: Basic " + base64("git:" + VALUE));
    assertThat(text(inject(secret(null, null), "/", "Authorization: Basic ?!")))
        .contains("Authorization: Basic ?!");
  }

  @Test
  void aRequestWithoutAPlaceholderIsLeftAsItIs() {
    Injection injection = inject(secret(null, null), "/a?b=c", "Accept-Encoding: gzip", "X-A: b");
    assertThat(injection.target()).isEqualTo("/a?b=c");
    assertThat(text(injection)).containsExactly("X-A: b", "Accept-Encoding: identity");
    assertThat(injection.used()).isEmpty();
  }

  @Test
  void aHeaderOfATemplateTakesThePlaceOfTheProgramsOwn() {
    assertThat(
            text(
                inject(
                    secret("Authorization: Bearer {value}", null),
                    "/",
                    "authorization: Bearer mine")))
        .containsExactlyInAnyOrder("Authorization: Bearer " + VALUE, "Accept-Encoding: identity");
    assertThat(text(inject(secret("Authorization: Basic bob:{value}", null), "/")))
        .contains("Authorization: Basic " + base64("bob:" + VALUE));
  }

  @Test
  void aParameterOfATemplateTakesThePlaceOfTheProgramsOwn() {
    BoundSecret secret = secret(null, "key={value}");
    assertThat(inject(secret, "/x").target()).isEqualTo("/x?key=s3cr3t%2Fwith%2Bsigns");
    assertThat(inject(secret, "/x?a=1&key=mine&b=2").target())
        .isEqualTo("/x?a=1&b=2&key=s3cr3t%2Fwith%2Bsigns");
  }

  @Test
  void whatComesBackIsMaskedHoweverItIsCutIntoPieces() throws IOException {
    Masking masking = Masking.of(List.of(secret("Authorization: Basic bob:{value}", null)));
    String body =
        "s3cr3 s3cr3t/with+signs, s3cr3t%2Fwith%2Bsigns; s3cr3t\\/with+signs "
            + base64("bob:" + VALUE)
            + " s3cr3t/with";
    String masked = masking.mask(body);
    assertThat(masked)
        .hasSameSizeAs(body)
        .startsWith("s3cr3 " + PLACEHOLDER.substring(0, VALUE.length()))
        .endsWith(" s3cr3t/with")
        .doesNotContain(VALUE, "%2Fwith", "\\/with", base64("bob:" + VALUE));
    for (int size = 1; size < 40; size++) {
      assertThat(inPieces(masking, body, size)).isEqualTo(masked);
    }
  }

  @Test
  void aValueInsideOfBase64IsMaskedWhereverItStands() {
    Masking masking = Masking.of(List.of(secret(null, null)));
    for (String before : List.of("", "a", "ab", "git:", "user:", "someone:")) {
      for (String after : List.of("", "x", "yz", "\n more")) {
        String encoded = base64(before + VALUE + after);
        String masked = masking.mask("Basic " + encoded);
        assertThat(masked).hasSize(encoded.length() + 6).contains("atoll-secret-");
        // What is left of the value, with the mask as nothing.
        byte[] left =
            Base64.getDecoder().decode(masked.substring(6).replace('-', 'A').replace('*', 'A'));
        assertThat(new String(left, StandardCharsets.ISO_8859_1))
            .as(before + "…" + after)
            .doesNotContain("cr3t", "with", "sign");
      }
    }
    assertThat(masking.mask("s3cr3t%2fwith%2bsigns")).doesNotContain("with");
  }

  @Test
  void onlyWhatMayBeAValueIsHeldBack() throws IOException {
    Masking.Passage passage = Masking.of(List.of(secret(null, null))).passage();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] event = "data: s3cr3\n\n".getBytes(StandardCharsets.UTF_8);
    passage.pass(event, 0, event.length, out::write);
    assertThat(out.size()).isEqualTo(event.length);
    passage.pass(event, 0, event.length - 2, out::write);
    assertThat(out.size()).isEqualTo(event.length + 6);
  }

  @Test
  void aRequestGoesNowhereButWhereItsConnectionGoes() {
    Destination here = new Destination("api.test", 443, true);
    assertThat(here.refuses(request("/", "Host: api.test"))).isNull();
    assertThat(here.refuses(request("/", "Host: API.test.:443"))).isNull();
    for (String[] bad :
        List.of(
            new String[] {"/", "Host: other.test"},
            new String[] {"/", "Host: api.test:80"},
            new String[] {"/", "Host: api.test", "Host: api.test"},
            new String[] {"/"},
            new String[] {"https://other.test/", "Host: api.test"})) {
      String[] fields = java.util.Arrays.copyOfRange(bad, 1, bad.length);
      assertThat(here.refuses(request(bad[0], fields))).as(List.of(bad).toString()).isNotNull();
    }
  }

  @Test
  void noRequestIsHadSentBack() {
    Head trace =
        new Head(
            "TRACE", "/", 0, true, List.of(new HttpField("Host", "api.test")), Head.Framing.NONE);
    assertThat(new Destination("api.test", 443, true).refuses(trace)).isNotNull();
  }

  private static Head request(String target, String... fields) {
    return new Head(
        "GET",
        target,
        0,
        true,
        List.of(fields).stream()
            .map(f -> new HttpField(f.split(": ", 2)[0], f.split(": ", 2)[1]))
            .toList(),
        Head.Framing.NONE);
  }

  private static String inPieces(Masking masking, String body, int size) throws IOException {
    Masking.Passage passage = masking.passage();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
    for (int at = 0; at < bytes.length; at += size) {
      passage.pass(bytes, at, Math.min(size, bytes.length - at), out::write);
    }
    passage.end(out::write);
    return out.toString(StandardCharsets.ISO_8859_1);
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
