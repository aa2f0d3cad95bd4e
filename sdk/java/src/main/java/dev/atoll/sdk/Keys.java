package dev.atoll.sdk;

import dev.atoll.model.ApiKeyInfo;
import dev.atoll.model.ApiKeyRequest;
import java.util.List;

/** The API keys of a project. */
public final class Keys {
  private static final String PATH = "/v1/keys";

  private final Api api;

  Keys(Api api) {
    this.api = api;
  }

  /** All keys, without their secrets. */
  public List<ApiKeyInfo> list() {
    return api.page(ApiRequest.get(PATH), ApiKeyInfo.class).items();
  }

  /** Makes a key; its secret is in this answer and never again. */
  public ApiKeyInfo create(String name) {
    return api.call(ApiRequest.post(PATH).json(new ApiKeyRequest(name, null)), ApiKeyInfo.class);
  }

  /** Makes a key of another project, which needs the key of an administrator. */
  public ApiKeyInfo create(String name, String project) {
    return api.call(ApiRequest.post(PATH).json(new ApiKeyRequest(name, project)), ApiKeyInfo.class);
  }

  /** Takes a key back; it stops working at once. */
  public void revoke(String id) {
    api.send(ApiRequest.delete(PATH + "/" + ApiRequest.segment(id)));
  }
}
