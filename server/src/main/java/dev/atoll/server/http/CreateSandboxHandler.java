package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxSpec;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/sandboxes}: makes a sandbox. */
final class CreateSandboxHandler implements Operation {
  private static final String HEADER = "Idempotency-Key";
  private static final int MAX_KEY = 255;

  private final Engine engine;

  CreateSandboxHandler(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void handle(Exchange exchange) {
    String key = idempotencyKey(exchange.header(HEADER));
    SandboxSpec spec = exchange.body(SandboxSpec.class);
    exchange.created(engine.sandboxes().create(exchange.project(), spec, key));
  }

  static @Nullable String idempotencyKey(@Nullable String header) {
    if (header == null) {
      return null;
    }
    String key = header.strip();
    if (key.isEmpty()
        || key.length() > MAX_KEY
        || key.chars().anyMatch(c -> c < 0x20 || c > 0x7e)) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          HEADER + " must have 1 to " + MAX_KEY + " printable ASCII characters");
    }
    return key;
  }
}
