package dev.atoll.engine.cache;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A program in a guest that asks the cache, one connection for each question. */
record FakeProgram(PackageCache cache, List<ErrorCode> troubles) {
  FakeProgram(PackageCache cache) {
    this(cache, new ArrayList<>());
  }

  /** What came: the head's first line, and the body without its chunks. */
  @SuppressWarnings("ArrayRecordComponent")
  record Came(String status, byte[] body, boolean whole) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    JsonNode json() {
      return Json.lenient().readTree(body);
    }
  }

  Came get(String path) {
    return ask("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", new byte[0]);
  }

  Came post(String path, String headers, byte[] body) {
    return ask(
        "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%sConnection: close\r\n\r\n"
            .formatted(path, body.length, headers),
        body);
  }

  Came ask(String head, byte[] body) {
    byte[] start = head.getBytes(StandardCharsets.US_ASCII);
    byte[] request = Arrays.copyOf(start, start.length + body.length);
    System.arraycopy(body, 0, request, start.length, body.length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    boolean whole = true;
    try {
      cache.serve(new ByteArrayInputStream(request), out, (code, message) -> troubles.add(code));
    } catch (IOException e) {
      whole = false;
    }
    String all = out.toString(StandardCharsets.ISO_8859_1);
    int end = all.indexOf("\r\n\r\n");
    if (end < 0) {
      return new Came("", new byte[0], whole);
    }
    String answer = all.substring(end + 4);
    boolean chunked = all.substring(0, end).contains("chunked");
    return new Came(
        all.substring(0, all.indexOf("\r\n")),
        (chunked ? joined(answer) : answer).getBytes(StandardCharsets.ISO_8859_1),
        whole);
  }

  private static String joined(String chunks) {
    StringBuilder text = new StringBuilder();
    int at = 0;
    while (at < chunks.length()) {
      int line = chunks.indexOf("\r\n", at);
      int length = Integer.parseInt(chunks.substring(at, line), 16);
      text.append(chunks, line + 2, line + 2 + length);
      at = line + 2 + length + 2;
    }
    return text.toString();
  }
}
