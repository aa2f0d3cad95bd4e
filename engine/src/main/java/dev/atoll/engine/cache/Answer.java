package dev.atoll.engine.cache;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What a package manager is answered. */
record Answer(int status, String type, Body body) implements Closeable {

  static Answer of(String type, Body body) {
    return new Answer(200, type, body);
  }

  static Answer text(int status, String message) {
    return new Answer(
        status,
        "text/plain; charset=utf-8",
        Body.of((message + "\n").getBytes(StandardCharsets.UTF_8)));
  }

  static Answer missing(String what) {
    return text(404, "there is no " + what);
  }

  @Override
  public void close() throws IOException {
    body.close();
  }
}
