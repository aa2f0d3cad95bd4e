package dev.atoll.sdk;

import dev.atoll.model.ContextInfo;
import dev.atoll.model.ContextSpec;
import java.util.List;

/** The language contexts of a sandbox: kernels, each with variables of its own. */
public final class Contexts {
  private final Api api;
  private final String path;

  Contexts(Api api, String sandboxPath) {
    this.api = api;
    this.path = sandboxPath + "/contexts";
  }

  /** All contexts. */
  public List<ContextInfo> list() {
    return api.page(ApiRequest.get(path), ContextInfo.class).items();
  }

  /** Opens a context. */
  public ContextInfo open(String name, String language) {
    return open(new ContextSpec(name, language, null));
  }

  /** Opens a context. */
  public ContextInfo open(ContextSpec spec) {
    return api.call(ApiRequest.post(path).json(spec), ContextInfo.class);
  }

  /** Closes a context; its variables are lost. */
  public void remove(String name) {
    api.send(ApiRequest.delete(path(name)));
  }

  /** Starts a context anew, without its variables. */
  public ContextInfo restart(String name) {
    return api.call(ApiRequest.post(path(name) + "/restart"), ContextInfo.class);
  }

  /** Interrupts what a context is running; its variables stay. */
  public void interrupt(String name) {
    api.send(ApiRequest.post(path(name) + "/interrupt"));
  }

  private String path(String name) {
    return path + "/" + ApiRequest.segment(name);
  }
}
