package dev.atoll.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A service.
 *
 * @param id {@code svc_…}
 * @param revision the number of the deployment that serves; 0 before the first has succeeded
 * @param previous the number of the deployment that served before and can be gone back to
 * @param url where a browser finds it
 * @param waiting how many requests wait for an instance
 * @param problem why the last instance could not be started, or does not work
 */
public record ServiceInfo(
    String id,
    String name,
    ServiceState state,
    int revision,
    @Nullable Integer previous,
    int port,
    String start,
    ServiceScale scale,
    PortAccess access,
    List<ServiceInstance> instances,
    int waiting,
    Instant createdAt,
    @Nullable String problem,
    @Nullable String url) {
  public ServiceInfo {
    instances = List.copyOf(instances);
  }

  /** The same service with its address. */
  public ServiceInfo withUrl(String newUrl) {
    return new ServiceInfo(
        id, name, state, revision, previous, port, start, scale, access, instances, waiting,
        createdAt, problem, newUrl);
  }
}
