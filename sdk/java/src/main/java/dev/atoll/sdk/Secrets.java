package dev.atoll.sdk;

import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretSpec;
import java.util.List;
import java.util.function.Consumer;

/**
 * The secrets of a project. A value goes to the server and never comes back: the server puts it
 * into requests that leave a sandbox for one of the secret's domains, and inside there is only a
 * placeholder.
 *
 * <pre>{@code
 * atoll.secrets().set("openai", s -> s.value(key).domain("api.openai.com").env("OPENAI_API_KEY"));
 * atoll.sandboxes().create(s -> s.secret("openai").allow("api.openai.com"));
 * }</pre>
 */
public final class Secrets {
  private static final String PATH = "/v1/secrets";

  private final Api api;

  Secrets(Api api) {
    this.api = api;
  }

  /** All secrets, without their values. */
  public List<SecretInfo> list() {
    return api.page(ApiRequest.get(PATH), SecretInfo.class).items();
  }

  /** A secret, without its value. */
  public SecretInfo get(String name) {
    return api.call(ApiRequest.get(path(name)), SecretInfo.class);
  }

  /**
   * Makes a secret, or changes one: what is not set stays as it is. A new value is used from the
   * next request on, in sandboxes that run already too.
   */
  public SecretInfo set(String name, Consumer<SecretOptions> options) {
    SecretOptions chosen = new SecretOptions();
    options.accept(chosen);
    return set(name, chosen.spec());
  }

  /** Makes a secret, or changes one. */
  public SecretInfo set(String name, SecretSpec spec) {
    return api.call(ApiRequest.put(path(name)).json(spec), SecretInfo.class);
  }

  /** Deletes a secret; no request has it from now on. */
  public void delete(String name) {
    api.send(ApiRequest.delete(path(name)));
  }

  private static String path(String name) {
    return PATH + "/" + ApiRequest.segment(name);
  }
}
