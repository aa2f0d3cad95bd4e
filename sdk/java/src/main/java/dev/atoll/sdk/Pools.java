package dev.atoll.sdk;

import dev.atoll.model.ClaimRequest;
import dev.atoll.model.PoolInfo;
import dev.atoll.model.PoolSpec;
import dev.atoll.model.PoolUpdate;
import dev.atoll.model.SandboxInfo;
import java.util.List;
import java.util.function.Consumer;

/** The warm pools of a project: sandboxes that are ready before somebody asks for them. */
public final class Pools {
  private static final String PATH = "/v1/pools";

  private final Api api;

  Pools(Api api) {
    this.api = api;
  }

  /** Makes a pool: {@code create(p -> p.warm(3).max(20).cpus(1).memoryMiB(512))}. */
  public PoolInfo create(Consumer<PoolOptions> options) {
    PoolOptions chosen = new PoolOptions();
    options.accept(chosen);
    return create(chosen.spec());
  }

  /** Makes a pool; it fills in the background. */
  public PoolInfo create(PoolSpec spec) {
    return api.call(ApiRequest.post(PATH).json(spec), PoolInfo.class);
  }

  /** All pools. */
  public List<PoolInfo> list() {
    return api.page(ApiRequest.get(PATH), PoolInfo.class).items();
  }

  /**
   * A pool as it is now.
   *
   * @throws PoolNotFoundException if there is none
   */
  public PoolInfo get(String idOrName) {
    return api.call(ApiRequest.get(path(idOrName)), PoolInfo.class);
  }

  /** Changes how many are kept ready, and how many there may be. */
  public PoolInfo update(String idOrName, PoolUpdate update) {
    return api.call(ApiRequest.patch(path(idOrName)).json(update), PoolInfo.class);
  }

  /** Ends a pool and what is ready in it; sandboxes that were claimed live on. */
  public void delete(String idOrName) {
    api.send(ApiRequest.delete(path(idOrName)));
  }

  /** Takes a sandbox out of a pool. */
  public Sandbox claim(String idOrName) {
    return claim(idOrName, ClaimRequest.plain());
  }

  /** Takes a sandbox out of a pool: {@code claim("workers", c -> c.metadata("job", "42"))}. */
  public Sandbox claim(String idOrName, Consumer<ClaimOptions> options) {
    ClaimOptions chosen = new ClaimOptions();
    options.accept(chosen);
    return claim(idOrName, chosen.request());
  }

  /**
   * Takes a sandbox out of a pool; an empty pool makes one. As with {@link Sandboxes#create()},
   * closing it ends it unless it is persistent. A claim whose outcome is unknown is not sent again.
   *
   * @throws QuotaExceededException if there are as many as the pool may have
   */
  public Sandbox claim(String idOrName, ClaimRequest request) {
    ApiRequest claim =
        ApiRequest.post(path(idOrName) + "/claim").json(request).timeout(Sandboxes.CREATE_TIME);
    return Sandbox.made(api, api.call(claim, SandboxInfo.class));
  }

  private static String path(String idOrName) {
    return PATH + "/" + ApiRequest.segment(idOrName);
  }
}
