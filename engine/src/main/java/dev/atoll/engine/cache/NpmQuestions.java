package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What npm asks a registry besides packages: whether it is there, what there is of a name, what is
 * known to be dangerous. It is passed on to the host's registry, and so is the answer, whatever its
 * status; nothing of either is kept.
 */
final class NpmQuestions {
  private static final Set<String> READ = Set.of("-/ping", "-/v1/search", "-/npm/v1/keys");
  private static final Set<String> SENT =
      Set.of(
          "-/npm/v1/security/advisories/bulk",
          "-/npm/v1/security/audits",
          "-/npm/v1/security/audits/quick");

  private static final Pattern QUERY = Pattern.compile("[A-Za-z0-9._~!$&'()*+,;=:@/?%-]{0,2000}");
  private static final long MAX_ANSWER = 32L << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Fetcher fetcher;
  private final Counts counts;

  NpmQuestions(Fetcher fetcher, Counts counts) {
    this.fetcher = fetcher;
    this.counts = counts;
  }

  /** Whether it is one. */
  static boolean is(String path) {
    return READ.contains(path) || SENT.contains(path);
  }

  /** Has the registry answer. */
  Answer answer(URI registry, String path, CacheRequest request) throws IOException {
    InputStream sent = request.body();
    boolean post = request.method().equals("POST") && sent != null;
    if (post != SENT.contains(path) || (sent != null && !post)) {
      return Answer.text(405, "npm asks this in another way");
    }
    if (!QUERY.matcher(request.query()).matches()) {
      return Answer.text(400, "this is no question of npm's");
    }
    counts.miss();
    URI address;
    try {
      address =
          GoModules.at(registry, path + (request.query().isEmpty() ? "" : "?" + request.query()));
    } catch (IllegalArgumentException e) {
      return Answer.text(400, "this is no question of npm's");
    }
    Map<String, String> headers = new HashMap<>(Map.of("Accept", "application/json"));
    if (sent == null) {
      return passed(fetcher.get(address, headers));
    }
    headers.put("Content-Type", "application/json");
    if (request.header("content-encoding").equals("gzip")) {
      headers.put("Content-Encoding", "gzip");
    }
    return passed(fetcher.post(address, headers, sent, request.length()));
  }

  private Answer passed(Fetcher.Fetched fetched) {
    String type = fetched.type().matches("[A-Za-z0-9/+.;= -]+") ? fetched.type() : "text/plain";
    // Whoever has nothing to say is given an empty answer.
    return new Answer(fetched.status() == 204 ? 200 : fetched.status(), type, new Passed(fetched));
  }

  /** An answer on its way. */
  private final class Passed implements Body {
    private final Fetcher.Fetched fetched;
    private final Thread end;

    Passed(Fetcher.Fetched fetched) {
      this.fetched = fetched;
      this.end = Thread.ofVirtual().name("npm-question").start(this::endInTime);
    }

    private void endInTime() {
      try {
        Thread.sleep(PATIENCE);
        fetched.close();
      } catch (InterruptedException | IOException e) {
        // It has ended.
      }
    }

    @Override
    public long length() {
      return -1;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
      try (InputStream in =
          new BoundedStream(fetched.body(), MAX_ANSWER, "the registry's answer", counts::fetched)) {
        in.transferTo(out);
      }
    }

    @Override
    public void close() throws IOException {
      end.interrupt();
      fetched.close();
    }
  }
}
