package dev.atoll.sdk;

import dev.atoll.model.DeployEvent;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.PortShare;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceLogLine;
import dev.atoll.model.ServiceRevision;
import dev.atoll.model.ServiceShareRequest;
import dev.atoll.model.ServiceSpec;
import dev.atoll.model.ServiceUpdate;
import dev.atoll.sdk.transport.HttpAnswer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The services of a project: programs that are reachable at an address, started when somebody asks,
 * in as many sandboxes as the requests need.
 */
public final class Services {
  private static final String PATH = "/v1/services";
  private static final Duration DEPLOY_TIME = Duration.ofHours(2);

  private final Api api;

  Services(Api api) {
    this.api = api;
  }

  /**
   * Deploys a service, or a new revision of the one of that name: {@code deploy("hello", s ->
   * s.directory(Path.of("app")).start("python3 main.py"))}. Returns when requests go to it.
   *
   * @throws ApiException with {@link ErrorCode#DEPLOY_FAILED} if the program does not become
   *     healthy; what served before goes on
   */
  public ServiceInfo deploy(String name, Consumer<ServiceOptions> options) {
    ServiceOptions chosen = new ServiceOptions();
    options.accept(chosen);
    return deploy(chosen.spec(name), event -> {});
  }

  /** Deploys as {@link #deploy(String, Consumer)} does, and tells everything that happens. */
  public ServiceInfo deploy(ServiceSpec spec, Consumer<DeployEvent> events) {
    ApiRequest request =
        ApiRequest.post(PATH).json(spec).accept(ApiRequest.NDJSON).timeout(DEPLOY_TIME);
    try (HttpAnswer answer = api.open(request)) {
      LineReader lines = new LineReader(answer.body());
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        DeployEvent event = Json.lenient().readValue(line, DeployEvent.class);
        if (event instanceof DeployEvent.Deployed deployed) {
          return deployed.service();
        }
        if (event instanceof DeployEvent.DeployFailed failed) {
          throw ErrorAnswers.of(failed.error(), null);
        }
        events.accept(event);
      }
    } catch (IOException e) {
      throw broken(spec, e);
    }
    throw broken(spec, null);
  }

  private static ApiException broken(ServiceSpec spec, @Nullable IOException cause) {
    return new ApiException(
        ApiException.local(
            ErrorCode.DEPLOY_FAILED,
            "the connection broke while " + spec.name() + " was being deployed",
            "the deployment goes on; look at the service's revisions"),
        cause);
  }

  /** All services. */
  public List<ServiceInfo> list() {
    return api.page(ApiRequest.get(PATH), ServiceInfo.class).items();
  }

  /**
   * A service as it is now.
   *
   * @throws NotFoundException if there is none
   */
  public ServiceInfo get(String idOrName) {
    return api.call(ApiRequest.get(path(idOrName)), ServiceInfo.class);
  }

  /** Changes how a service is scaled and who may reach it, without a deployment. */
  public ServiceInfo update(String idOrName, ServiceUpdate update) {
    return api.call(ApiRequest.patch(path(idOrName)).json(update), ServiceInfo.class);
  }

  /** The same, for what the lambda says: {@code services().update("hello", s -> s.min(1))}. */
  public ServiceInfo update(String idOrName, Consumer<ServiceChanges> changes) {
    ServiceChanges wanted = new ServiceChanges();
    changes.accept(wanted);
    return update(idOrName, wanted.update());
  }

  /**
   * Ends the instances of a service once they have answered their requests. It stays deployed: the
   * next request starts an instance, and so does the next server if {@code min} says so.
   */
  public ServiceInfo stop(String idOrName) {
    return api.call(
        ApiRequest.post(path(idOrName) + "/stop").timeout(Duration.ofMinutes(5)),
        ServiceInfo.class);
  }

  /** Ends a service with all its instances, snapshots and logs. */
  public void delete(String idOrName) {
    api.send(ApiRequest.delete(path(idOrName)).timeout(Duration.ofMinutes(5)));
  }

  /** The deployments of a service, the newest first. */
  public List<ServiceRevision> revisions(String idOrName) {
    return api.page(ApiRequest.get(path(idOrName) + "/revisions"), ServiceRevision.class).items();
  }

  /**
   * Lets the revision that served before serve again, from its snapshot. How the service is scaled
   * and who may reach it stay as they are. Once more goes forward again.
   *
   * @throws ConflictException if there is none
   */
  public ServiceInfo rollback(String idOrName) {
    return api.call(
        ApiRequest.post(path(idOrName) + "/rollback").timeout(DEPLOY_TIME), ServiceInfo.class);
  }

  /** The last lines that the instances of a service have written. */
  public List<ServiceLogLine> logs(String idOrName, int tail) {
    List<ServiceLogLine> found = new ArrayList<>();
    try (HttpAnswer answer = api.open(logRequest(idOrName, tail))) {
      LineReader lines = new LineReader(answer.body());
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        ServiceLogLine one = Json.lenient().readValue(line, ServiceLogFeed.Line.class).line();
        if (one != null) {
          found.add(one);
        }
      }
      return found;
    } catch (IOException e) {
      throw new ConnectionException("the connection broke", "ask for the log again", e);
    }
  }

  /** The last lines, and then those that are written, until it is closed. */
  public ServiceLogFeed follow(String idOrName, int tail) {
    return new ServiceLogFeed(api, logRequest(idOrName, tail).query("follow", "true"));
  }

  private static ApiRequest logRequest(String idOrName, int tail) {
    return ApiRequest.get(path(idOrName) + "/logs").query("tail", tail).accept(ApiRequest.NDJSON);
  }

  /** Makes a token to a private service; its address lets in who follows it, for a day. */
  public PortShare share(String idOrName) {
    return share(idOrName, new ServiceShareRequest(null));
  }

  /** The same for as long as is said. */
  public PortShare share(String idOrName, Duration ttl) {
    return share(idOrName, new ServiceShareRequest(Seconds.of(ttl)));
  }

  private PortShare share(String idOrName, ServiceShareRequest request) {
    return api.call(ApiRequest.post(path(idOrName) + "/shares").json(request), PortShare.class);
  }

  /** The tokens that are still good, without themselves. */
  public List<PortShare> shares(String idOrName) {
    return api.page(ApiRequest.get(path(idOrName) + "/shares"), PortShare.class).items();
  }

  /** Makes a token worthless from the next request on. */
  public void revoke(String idOrName, String share) {
    api.send(ApiRequest.delete(path(idOrName) + "/shares/" + ApiRequest.segment(share)));
  }

  private static String path(String idOrName) {
    return PATH + "/" + ApiRequest.segment(idOrName);
  }
}
