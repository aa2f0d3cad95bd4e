package dev.atoll.sdk;

import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SpaceRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The spaces of a project: sandboxes that are known by their name. Opening one gives it running,
 * also when it was hibernated; closing what is returned leaves it as it is.
 */
public final class Spaces {
  private final Api api;

  Spaces(Api api) {
    this.api = api;
  }

  /**
   * A space that exists, running.
   *
   * @throws SandboxNotFoundException if there is none
   */
  public Sandbox open(String name) {
    return open(name, (SandboxSpec) null);
  }

  /** A space, running; made with the server's defaults if there is none of that name. */
  public Sandbox openOrCreate(String name) {
    return open(name, SandboxSpec.defaults());
  }

  /**
   * A space, running; made if there is none of that name: {@code openOrCreate("ana", s ->
   * s.onIdle(OnIdle.HIBERNATE).idleTimeout(Duration.ofMinutes(5)))}. One that exists stays as it
   * is, whatever the options say.
   */
  public Sandbox openOrCreate(String name, Consumer<SandboxOptions> options) {
    SandboxOptions chosen = new SandboxOptions();
    options.accept(chosen);
    return open(name, chosen.spec());
  }

  /** A space, running; made if there is none of that name. */
  public Sandbox openOrCreate(String name, SandboxSpec spec) {
    return open(name, spec);
  }

  /** Opening twice finds what the first has made, so it may be sent again. */
  private Sandbox open(String name, @Nullable SandboxSpec create) {
    ApiRequest request =
        ApiRequest.post("/v1/spaces/" + ApiRequest.segment(name))
            .json(new SpaceRequest(create))
            .timeout(Sandboxes.CREATE_TIME)
            .harmlessToRepeat();
    return new Sandbox(api, api.call(request, SandboxInfo.class).id(), false);
  }
}
