package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.EngineFixture.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A server with one sandbox in which programs of the test listen. */
final class PortFixture implements AutoCloseable {
  final EngineFixture server;
  final String path;

  PortFixture(Path folder, String... settings) throws Exception {
    server = new EngineFixture(folder, settings);
    path = server.sandbox();
  }

  String id() {
    return path.substring("/v1/sandboxes/".length());
  }

  /** Lets a program be seen in the sandbox, and gives the path of its port. */
  String listen(FakeProgram program) throws Exception {
    return listen(path, program);
  }

  String listen(String sandbox, FakeProgram program) throws Exception {
    Answer started =
        server.post(sandbox + "/processes", "{\"argv\":[\"listen\",\"" + program.port() + "\"]}");
    assertThat(started.status()).as(started.body()).isEqualTo(201);
    return sandbox + "/ports/" + program.port();
  }

  /** The name of the host that stands for a program's port. */
  String host(FakeProgram program) {
    return program.port() + "-" + id().replace('_', '-') + ".localhost:" + server.url("").getPort();
  }

  /** Makes a token to a program's port. */
  String token(FakeProgram program) throws Exception {
    return share(program, "").json().get("token").asString();
  }

  Answer share(FakeProgram program, String more) throws Exception {
    return server.post(path + "/shares", "{\"port\":" + program.port() + more + "}");
  }

  void access(FakeProgram program, String access) throws Exception {
    Answer changed =
        server.send(
            server
                .request(path + "/ports/" + program.port())
                .PUT(BodyPublishers.ofString("{\"access\":\"" + access + "\"}")));
    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    assertThat(changed.json().get("access").asString()).isEqualTo(access);
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.url("").getPort());
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** Sends bytes as they are and reads until the server closes. */
  String raw(String request) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  /** A request to a host, whose connection ends with the answer. */
  String get(String host, String target, String... headers) throws IOException {
    StringBuilder request = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: " + host);
    for (String header : headers) {
      request.append("\r\n").append(header);
    }
    return raw(request + "\r\nConnection: close\r\n\r\n");
  }

  @Override
  public void close() {
    server.close();
  }
}
