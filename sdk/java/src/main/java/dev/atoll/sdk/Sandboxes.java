package dev.atoll.sdk;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** The sandboxes of a project. */
public final class Sandboxes {
  private static final String PATH = "/v1/sandboxes";
  static final Duration CREATE_TIME = Duration.ofMinutes(30);

  private final Api api;

  Sandboxes(Api api) {
    this.api = api;
  }

  /** Makes a sandbox with the server's defaults: Python, ready to run code. */
  public Sandbox create() {
    return create(SandboxSpec.defaults());
  }

  /** Makes a sandbox: {@code create(s -> s.template("python").memoryMiB(512))}. */
  public Sandbox create(Consumer<SandboxOptions> options) {
    SandboxOptions chosen = new SandboxOptions();
    options.accept(chosen);
    return create(chosen.spec());
  }

  /**
   * Makes a sandbox and waits until it answers. The first one of a template waits until that is
   * built, which may take minutes.
   */
  public Sandbox create(SandboxSpec spec) {
    ApiRequest request =
        ApiRequest.post(PATH).json(spec).timeout(CREATE_TIME).idempotencyKey(newKey());
    return Sandbox.made(api, created(request));
  }

  /** After a broken connection the first request with this key may still be under way. */
  private SandboxInfo created(ApiRequest request) {
    long deadline = System.nanoTime() + api.policy().reconnectTime().toNanos();
    for (int attempt = 1; ; attempt++) {
      try {
        return api.call(request, SandboxInfo.class);
      } catch (ConflictException e) {
        if (e.code() != ErrorCode.CONFLICT || System.nanoTime() > deadline) {
          throw e;
        }
        Api.pause(api.policy().delay(attempt));
      }
    }
  }

  /** A sandbox as the server knows it. */
  public SandboxInfo get(String idOrName) {
    return api.call(ApiRequest.get(path(idOrName)), SandboxInfo.class);
  }

  /**
   * A sandbox that exists. Closing what this returns leaves the sandbox running.
   *
   * @throws SandboxNotFoundException if there is none
   */
  public Sandbox connect(String idOrName) {
    return new Sandbox(api, get(idOrName).id(), false);
  }

  /**
   * As {@link #connect}, but without asking the server: if there is no such sandbox, the first use
   * fails.
   */
  public Sandbox handle(String idOrName) {
    return new Sandbox(api, idOrName, false);
  }

  /** The living sandboxes, newest first; pages are fetched as needed. */
  public Pages<SandboxInfo> list() {
    return list(query -> {});
  }

  /** The sandboxes of a query: {@code list(q -> q.metadata("job", "42"))}. */
  public Pages<SandboxInfo> list(Consumer<SandboxQuery> query) {
    SandboxQuery chosen = new SandboxQuery();
    query.accept(chosen);
    return new Pages<>(cursor -> api.page(chosen.page(PATH, cursor), SandboxInfo.class));
  }

  static String path(String idOrName) {
    return PATH + "/" + ApiRequest.segment(idOrName);
  }

  /** Unique is enough: the key guards against doubled requests, not against people. */
  private static String newKey() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return Long.toHexString(System.nanoTime())
        + Long.toHexString(random.nextLong())
        + Long.toHexString(random.nextLong());
  }
}
