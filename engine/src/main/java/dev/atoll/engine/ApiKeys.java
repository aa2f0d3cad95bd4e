package dev.atoll.engine;

import dev.atoll.model.ApiKeyInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** API keys. */
public final class ApiKeys {
  ApiKeys() {}
  public ApiKeyInfo create(String project, String name) { throw new UnsupportedOperationException(); }
  public List<ApiKeyInfo> list(String project) { throw new UnsupportedOperationException(); }
  public void revoke(String project, String id) { throw new UnsupportedOperationException(); }
  public @Nullable String projectOf(String secret) { throw new UnsupportedOperationException(); }
}
