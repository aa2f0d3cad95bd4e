package dev.atoll.server.http;

import static dev.atoll.server.http.TestingServer.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SignalRequest;
import dev.atoll.model.TerminalSize;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class StrictnessTest {
  private TestingServer server = new TestingServer();

  @BeforeAll
  void start() {
    server.close();
    server =
        new TestingServer(
            Route.post("/v1/code", exchange -> echo(exchange, RunCodeRequest.class)),
            Route.post("/v1/spec", exchange -> echo(exchange, SandboxSpec.class)),
            Route.post("/v1/command", exchange -> echo(exchange, CommandRequest.class)),
            Route.post(
                "/v1/fork",
                exchange ->
                    exchange.json(200, exchange.body(ForkRequest.class, ForkRequest.of(7)))),
            Route.post("/v1/size", exchange -> echo(exchange, TerminalSize.class)),
            Route.post("/v1/signal", exchange -> echo(exchange, SignalRequest.class)));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void goodBodyIsRead() throws Exception {
    HttpResponse<String> response =
        server.post("/v1/code", "{\"code\":\"ü\",\"timeoutSeconds\":5}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("{\"code\":\"ü\",\"timeoutSeconds\":5.0}");
  }

  @Test
  void aWholeNumberMayHaveAPointOrAnExponent() throws Exception {
    HttpResponse<String> response =
        server.post("/v1/spec", "{\"memoryMiB\":512.0,\"diskMiB\":1e3,\"processes\":64}");
    assertThat(response.body()).isEqualTo("{\"memoryMiB\":512,\"diskMiB\":1000,\"processes\":64}");
  }

  @Test
  void emptyBodyStandsForDefaultsWhereItMay() throws Exception {
    assertThat(server.post("/v1/fork", "").body()).isEqualTo("{\"count\":7,\"metadata\":{}}");
    assertThat(server.post("/v1/fork", "{}").body()).isEqualTo("{\"count\":1,\"metadata\":{}}");
    assertThat(
            server
                .send(
                    server
                        .request("/v1/fork")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.noBody()))
                .statusCode())
        .isEqualTo(200);
    assertThat(
            server
                .send(
                    server
                        .request("/v1/fork")
                        .POST(BodyPublishers.ofInputStream(InputStream::nullInputStream)))
                .body())
        .isEqualTo("{\"count\":7,\"metadata\":{}}");
    refused("/v1/fork", "null", ErrorCode.BAD_REQUEST);
    refused("/v1/fork", " ", ErrorCode.BAD_REQUEST);
    refused("/v1/fork", "{\"count\":33}", ErrorCode.INVALID_ARGUMENT);
    refused("/v1/fork", "{\"counts\":1}", ErrorCode.UNKNOWN_FIELD);
  }

  @Test
  void unknownFieldNamesTheNearestOne() throws Exception {
    ErrorBody error = refused("/v1/code", "{\"code\":\"\",\"timeout\":5}", ErrorCode.UNKNOWN_FIELD);
    assertThat(error.message()).contains("\"timeout\"");
    assertThat(error.hint()).isEqualTo("Did you mean \"timeoutSeconds\"?");
    assertThat(error.details()).containsEntry("field", "timeout");
  }

  @Test
  void unknownFieldDeepInsideIsNamedByItsPath() throws Exception {
    ErrorBody error =
        refused(
            "/v1/command",
            "{\"shell\":\"ls\",\"pty\":{\"rows\":1,\"cols\":2}}",
            ErrorCode.UNKNOWN_FIELD);
    assertThat(error.details()).containsEntry("field", "pty.cols");
    assertThat(error.hint()).contains("columns");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "/v1/code   | {\"code\":5}                          | bad_request",
        "/v1/code   | {\"code\":true}                       | bad_request",
        "/v1/code   | {\"code\":[\"a\"]}                    | bad_request",
        "/v1/code   | {\"code\":{}}                         | bad_request",
        "/v1/code   | {\"code\":\"\",\"timeoutSeconds\":\"5\"} | bad_request",
        "/v1/code   | {\"code\":\"\",\"maxOutputBytes\":1.5} | bad_request",
        "/v1/code   | {\"code\":\"\",\"maxOutputBytes\":1e99} | bad_request",
        "/v1/code   | {\"code\":\"\",\"env\":[]}            | bad_request",
        "/v1/code   | {\"code\":\"\",\"env\":{\"A\":1}}     | bad_request",
        "/v1/code   | {\"code\":\"\",\"timeoutSeconds\":0}  | invalid_argument",
        "/v1/code   | {\"code\":\"\",\"env\":{\"A\":null}}  | invalid_argument",
        "/v1/code   | {}                                    | invalid_argument",
        "/v1/code   | {\"code\":null}                       | invalid_argument",
        "/v1/code   | {\"code\":\"a\"} x                    | bad_request",
        "/v1/code   | {\"code\":\"a\"}{\"code\":\"b\"}      | bad_request",
        "/v1/code   | {\"code\":\"a\",\"code\":\"b\"}       | bad_request",
        "/v1/code   | {\"code\":\"a\",}                     | bad_request",
        "/v1/code   | {'code':'a'}                          | bad_request",
        "/v1/code   | {\"code\":\"a                         | bad_request",
        "/v1/code   | null                                  | bad_request",
        "/v1/code   | []                                    | bad_request",
        "/v1/code   | \"text\"                              | bad_request",
        "/v1/code   | 5                                     | bad_request",
        "/v1/code   | //c                                   | bad_request",
        "/v1/spec   | {\"isolation\":\"vm\"}                | invalid_argument",
        "/v1/spec   | {\"isolation\":1}                     | invalid_argument",
        "/v1/spec   | {\"cpus\":0}                          | invalid_argument",
        "/v1/spec   | {\"cpus\":\"NaN\"}                    | invalid_argument",
        "/v1/spec   | {\"cpus\":NaN}                        | bad_request",
        "/v1/spec   | {\"memoryMiB\":99999999999}           | bad_request",
        "/v1/spec   | {\"persistent\":\"true\"}             | bad_request",
        "/v1/spec   | {\"persistent\":1}                    | bad_request",
        "/v1/spec   | {\"env\":{\"A\":\"b\",\"A\":\"c\"}}   | bad_request",
        "/v1/command| {\"shell\":\"a\",\"argv\":[\"b\"]}    | invalid_argument",
        "/v1/command| {\"argv\":[]}                         | invalid_argument",
        "/v1/command| {\"argv\":[null]}                     | invalid_argument",
        "/v1/command| {\"argv\":\"ls\"}                     | bad_request",
        "/v1/command| {\"argv\":[1]}                        | bad_request",
        "/v1/size   | {\"rows\":1}                          | invalid_argument",
        "/v1/size   | {\"rows\":1,\"columns\":null}         | invalid_argument",
        "/v1/spec   | {\"memoryMiB\":null}                  | invalid_argument",
        "/v1/spec   | {\"memoryMiB\":512.5}                 | bad_request",
        "/v1/spec   | {\"memoryMiB\":5e-1}                  | bad_request",
        "/v1/spec   | {\"memoryMiB\":1e999999999}           | bad_request",
        "/v1/spec   | {\"env\":{\"A\":null}}                | invalid_argument",
        "/v1/size   | {\"rows\":1,\"columns\":99999}        | invalid_argument",
      })
  void wrongBodiesAreRefused(String path, String body, String code) throws Exception {
    ErrorBody error = refused(path, body, ErrorCode.of(code));
    assertThat(error.message()).doesNotContain("dev.atoll").doesNotContain("jackson");
  }

  @Test
  void emptyBodyIsRefusedWithAHint() throws Exception {
    assertThat(refused("/v1/spec", "", ErrorCode.BAD_REQUEST).hint()).contains("{}");
  }

  @Test
  void invalidUtf8IsRefused() throws Exception {
    for (byte[] bytes :
        List.of(
            new byte[] {(byte) 0xff},
            new byte[] {(byte) 0xc0, (byte) 0x80},
            new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
            new byte[] {(byte) 0xe2, (byte) 0x82})) {
      byte[] body =
          ("{\"code\":\"" + "\0".repeat(bytes.length) + "\"}").getBytes(StandardCharsets.UTF_8);
      System.arraycopy(bytes, 0, body, 9, bytes.length);
      HttpResponse<String> response =
          server.send(server.request("/v1/code").POST(BodyPublishers.ofByteArray(body)));
      assertThat(error(response).code()).isEqualTo(ErrorCode.BAD_REQUEST);
      assertThat(error(response).message()).contains("UTF-8 at byte 9");
    }
  }

  @Test
  void nestingBombIsRefused() throws Exception {
    String body = "{\"code\":" + "[".repeat(100_000);
    refused("/v1/code", body, ErrorCode.BAD_REQUEST);
    refused("/v1/spec", "{\"x\":".repeat(100_000), ErrorCode.BAD_REQUEST);
  }

  @Test
  void longUnknownNamesAreShortened() throws Exception {
    ErrorBody error =
        refused("/v1/code", "{\"" + "x".repeat(40_000) + "\":1}", ErrorCode.UNKNOWN_FIELD);
    assertThat(error.message().length()).isLessThan(200);
  }

  @Test
  void onlyJsonIsTaken() throws Exception {
    for (String type :
        List.of("application/json", "application/json; charset=utf-8", "Application/JSON")) {
      assertThat(withType(type).statusCode()).as(type).isEqualTo(200);
    }
    HttpResponse<String> form = withType("application/x-www-form-urlencoded");
    assertThat(form.statusCode()).isEqualTo(415);
    assertThat(error(form).hint()).contains("application/json");
  }

  @Test
  void enumValuesAreListed() throws Exception {
    ErrorBody error = refused("/v1/spec", "{\"isolation\":\"vm\"}", ErrorCode.INVALID_ARGUMENT);
    assertThat(error.hint()).isEqualTo("One of: auto, gvisor, microvm.");
  }

  private HttpResponse<String> withType(String type) throws Exception {
    return server.send(
        server
            .request("/v1/spec")
            .header("Content-Type", type)
            .POST(BodyPublishers.ofString("{}")));
  }

  private ErrorBody refused(String path, String body, ErrorCode code) throws Exception {
    HttpResponse<String> response = server.post(path, body);
    ErrorBody error = error(response);
    assertThat(error.code()).as(response.body()).isEqualTo(code);
    assertThat(response.statusCode()).isEqualTo(code.httpStatus());
    return error;
  }

  private static void echo(Exchange exchange, Class<?> type) {
    exchange.json(200, exchange.body(type));
  }
}
