package dev.atoll.sdk;

import dev.atoll.model.CaseResult;
import dev.atoll.model.ExecuteRequest;
import dev.atoll.model.ExecuteResult;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.JudgeResult;
import dev.atoll.model.RunEvent;
import dev.atoll.model.ServerInfo;
import dev.atoll.model.StateDiff;
import dev.atoll.sdk.transport.HttpClientTransport;
import dev.atoll.sdk.transport.Transport;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client of an Atoll server; where everything starts.
 *
 * <p>Thread-safe, cheap to keep, nothing to close. Making one sends nothing.
 */
public final class Atoll {
  /** The version of this SDK. */
  public static final String VERSION = "0.1.0";

  private final Api api;

  private Atoll(Api api) {
    this.api = api;
  }

  /**
   * A client of the server that {@code ATOLL_URL} and {@code ATOLL_API_KEY} name, or else of the
   * one that runs on this machine.
   *
   * @throws ConnectionException if neither is there; its hint says how to start one
   */
  public static Atoll connect() {
    return builder().build();
  }

  /** A client of a certain server. */
  public static Atoll connect(String url, String apiKey) {
    return builder().url(url).apiKey(apiKey).build();
  }

  /** A client with settings of its own. */
  public static Builder builder() {
    return new Builder();
  }

  /** The sandboxes of the key's project. */
  public Sandboxes sandboxes() {
    return new Sandboxes(api);
  }

  /**
   * Runs a program once, in a sandbox of its own that is gone afterwards: {@code execute("c",
   * code)}. What fails in the program is told in the result.
   */
  public ExecuteResult execute(String language, String code) {
    return execute(language, code, options -> {});
  }

  /**
   * Runs a program once: {@code execute("c", code, e -> e.stdin("2 3"))}. An interrupt of the
   * calling thread ends it.
   */
  public ExecuteResult execute(String language, String code, Consumer<ExecuteOptions> options) {
    ExecuteOptions chosen = new ExecuteOptions();
    options.accept(chosen);
    return execute(chosen.request(language, code), chosen.listeners());
  }

  /** Runs a program once; the listener is called with every event on the calling thread. */
  public ExecuteResult execute(ExecuteRequest request, Consumer<RunEvent> listener) {
    return new Programs(api).execute(request, listener);
  }

  /**
   * Judges a program by its output, in a sandbox of its own that is gone afterwards: {@code
   * judge("c", code, j -> j.expect("2 3", "5"))}.
   */
  public JudgeResult judge(String language, String code, Consumer<JudgeOptions> options) {
    JudgeOptions chosen = new JudgeOptions();
    options.accept(chosen);
    return judge(chosen.request(language, code), chosen.listener());
  }

  /** Judges a program; the listener is called with each case that has ended. */
  public JudgeResult judge(JudgeRequest request, Consumer<CaseResult> listener) {
    return Judgement.of(api, "/v1/judge", request, listener);
  }

  /** The kept states of the project's sandboxes. */
  public Snapshots snapshots() {
    return new Snapshots(api);
  }

  /** The spaces of the project: sandboxes that are known by their name and opened when needed. */
  public Spaces spaces() {
    return new Spaces(api);
  }

  /** The warm pools of the project: sandboxes that wait to be claimed. */
  public Pools pools() {
    return new Pools(api);
  }

  /** The services of the project: programs that are reachable at an address of their own. */
  public Services services() {
    return new Services(api);
  }

  /**
   * What {@code to} has that {@code from} has not, and the other way round: files and variables.
   * Each is a sandbox, by id or name, or a snapshot, by id.
   *
   * @throws NotRelatedException if the two have no common origin
   */
  public StateDiff diff(String from, String to) {
    return StateCalls.diff(api, from, to);
  }

  /** The record of what the project's sandboxes reached and were refused. */
  public Connections connections() {
    return new Connections(api);
  }

  /** What holds for all that a project has: its network's ceiling, its quotas. */
  public Projects projects() {
    return new Projects(api);
  }

  /** The templates that sandboxes are made from. */
  public Templates templates() {
    return new Templates(api);
  }

  /** The secrets of the project, which its sandboxes use without seeing them. */
  public Secrets secrets() {
    return new Secrets(api);
  }

  /** The API keys of the project. */
  public Keys keys() {
    return new Keys(api);
  }

  /** What the server says about itself: version, drivers, templates. */
  public ServerInfo server() {
    return api.call(ApiRequest.get("/v1/server"), ServerInfo.class);
  }

  /** The same, with each driver tried anew by starting something real, which takes a moment. */
  public ServerInfo probe() {
    return api.call(ApiRequest.get("/v1/server").query("fresh", "true"), ServerInfo.class);
  }

  /**
   * Writes all that the server keeps to a stream, without closing it: database, hibernated
   * sandboxes, snapshots, templates and keys. Needs the key of an administrator. Sandboxes that run
   * go on and are not in it. {@code atoll restore} brings it back. Keep it from others: it holds
   * the keys and the memory of sandboxes.
   *
   * @throws ConnectionException if the connection broke on the way; what was written is useless
   */
  public void backupTo(OutputStream to) {
    Download.to(
        api,
        ApiRequest.get("/v1/backup").accept("application/zstd").timeout(Duration.ofHours(12)),
        to);
  }

  /** Where the server is. */
  public Endpoint endpoint() {
    return api.endpoint();
  }

  /** Settings of a client; what is not set comes from the environment or the local server. */
  public static final class Builder {
    private @Nullable String url;
    private @Nullable String apiKey;
    private @Nullable Transport transport;
    private RetryPolicy retryPolicy = RetryPolicy.defaults();
    private Map<String, String> environment = System.getenv();

    private Builder() {}

    /** The address of the server, such as {@code http://127.0.0.1:7070}. */
    public Builder url(String address) {
      url = address;
      return this;
    }

    /** The key to the server. */
    public Builder apiKey(String key) {
      apiKey = key;
      return this;
    }

    /** How HTTP is spoken; {@link HttpClientTransport} by default. */
    public Builder transport(Transport implementation) {
      transport = implementation;
      return this;
    }

    /** How long to go on trying. */
    public Builder retryPolicy(RetryPolicy policy) {
      retryPolicy = policy;
      return this;
    }

    /** Variables to look at in place of those of this process. */
    public Builder environment(Map<String, String> variables) {
      environment = Map.copyOf(variables);
      return this;
    }

    /**
     * Finds the server and makes the client.
     *
     * @throws ConnectionException if there is no server to be found; its hint says what to do
     */
    public Atoll build() {
      EndpointSearch search = new EndpointSearch(url, apiKey, environment);
      return new Atoll(
          new Api(search, transport == null ? new HttpClientTransport() : transport, retryPolicy));
    }
  }
}
