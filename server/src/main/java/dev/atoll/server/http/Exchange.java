package dev.atoll.server.http;

import dev.atoll.engine.KeyOwner;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.SandboxInfo;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** A request and its answer, as a handler sees them. Used by one thread. */
final class Exchange {
  static final String NDJSON = "application/x-ndjson";
  private static final String JSON = "application/json";

  /** There is one heap, so there is one of these. */
  private static final LargeBodies BODIES = new LargeBodies();

  /** What a request takes besides its body: a thread, a connection, and what they point to. */
  private static final long COST = 32 << 10;

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final String requestId;
  private final HttpConfig config;
  private RouteMatch.@Nullable Found match;
  private @Nullable Query query;
  private @Nullable KeyOwner owner;
  private final BudgetAccount memory = new BudgetAccount(FairBudget.HEAP, BudgetAccount.NOBODY);
  private volatile boolean completed;
  private boolean answered;

  Exchange(Request request, Response response, Callback callback, HttpConfig config) {
    this.request = request;
    this.response = response;
    this.callback = Callback.from(callback, this::completed);
    this.config = config;
    this.requestId = RequestIds.of(request.getHeaders().get(RequestIds.HEADER));
    response.getHeaders().put(RequestIds.HEADER, requestId);
  }

  void matched(RouteMatch.Found found) {
    match = found;
  }

  RouteMatch.Found match() {
    return Objects.requireNonNull(match);
  }

  void authenticated(KeyOwner caller) {
    owner = caller;
    admit(caller.project());
  }

  /**
   * The request is on account of that project.
   *
   * @throws AtollException {@link ErrorCode#OVERLOADED} when that holds all that it may
   */
  void admit(String project) {
    memory.belongTo(project);
    memory.require(COST, "another request");
  }

  /** Pays for what is held because of this request, until it is answered. */
  BudgetAccount memory() {
    return memory;
  }

  /** The answer has left, or never will. */
  private void completed() {
    completed = true;
    memory.giveAll();
  }

  /** Nobody works on it any more. */
  void over() {
    if (completed) {
      memory.giveAll();
    }
  }

  Request request() {
    return request;
  }

  Response response() {
    return response;
  }

  Callback callback() {
    return callback;
  }

  HttpConfig config() {
    return config;
  }

  String requestId() {
    return requestId;
  }

  /** The project of the caller's key. */
  String project() {
    return owner().project();
  }

  /** Refuses callers whose key is not an administrator's. */
  void administratorsOnly() {
    if (!owner().administrator()) {
      throw new AtollException(
          ErrorCode.FORBIDDEN,
          "only an administrator of the server may do this",
          "Use the key in admin.key of the server's data directory.");
    }
  }

  /** Who the caller's key stands for. */
  KeyOwner owner() {
    return Objects.requireNonNull(owner, "the route is open to all");
  }

  /** A parameter of the path, which is an id or a name. */
  String path(String name) {
    RouteMatch.Found found = Objects.requireNonNull(match);
    String value = found.values().get(found.names().indexOf(name));
    if (!Names.valid(value)) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "the path holds something that is neither an id nor a name",
          "Ids and names have 1 to 64 letters, digits, dots, underscores and hyphens.");
    }
    return value;
  }

  /** The sandbox in the path, by id or name. */
  String sandbox() {
    return path("sb");
  }

  Query query() {
    if (query == null) {
      query =
          Query.parse(
              request.getHttpURI().getQuery(), Objects.requireNonNull(match).route().query());
    }
    return query;
  }

  @Nullable String header(String name) {
    return request.getHeaders().get(name);
  }

  boolean isHead() {
    return request.getMethod().equals("HEAD");
  }

  /** Whether the caller asked for a stream of events instead of one answer. */
  boolean wantsStream() {
    String accept = request.getHeaders().get(HttpHeader.ACCEPT);
    return accept != null && accept.contains(NDJSON);
  }

  /** The body as one of the model's records. */
  <T> T body(Class<T> type) {
    try (LargeBodies.Turn turn = BODIES.of(project())) {
      return JsonBody.read(request, type, config.maxBody(), memory, turn);
    }
  }

  /** The body as one of the model's records, or what stands for an empty body. */
  <T> T body(Class<T> type, T whenEmpty) {
    try (LargeBodies.Turn turn = BODIES.of(project())) {
      return JsonBody.read(request, type, config.maxBody(), memory, turn, whenEmpty);
    }
  }

  /** The body as it came, if it is no larger than JSON may be. */
  byte[] bodyBytes() {
    try (LargeBodies.Turn turn = BODIES.of(project())) {
      return JsonBody.bytes(request, config.maxBody(), memory, turn);
    }
  }

  /** The type of the body in lower case and without parameters, if the caller gave one. */
  @Nullable String mediaType() {
    return JsonBody.mediaType(request);
  }

  /** The raw body, however large; reading it waits for the caller. */
  InputStream input() {
    return UnreadBody.stream(request);
  }

  /** The body of the answer; every write goes out at once. */
  OutputStream output() {
    return Content.Sink.asOutputStream(response);
  }

  void json(int status, Object value) {
    send(status, JSON, Json.lenient().writeValueAsBytes(value));
  }

  /** Answers with a sandbox that this request made. */
  void created(SandboxInfo sandbox) {
    response.getHeaders().put(HttpHeader.LOCATION, "/v1/sandboxes/" + sandbox.id());
    json(201, sandbox);
  }

  void noContent() {
    response.setStatus(204);
    answered = true;
    callback.succeeded();
  }

  void text(int status, String type, String text) {
    send(status, type, text.getBytes(StandardCharsets.UTF_8));
  }

  void redirect(String location) {
    response.getHeaders().put(HttpHeader.LOCATION, location);
    text(302, "text/plain;charset=utf-8", "See " + location + "\n");
  }

  /** Sends a whole answer; head and body leave in one write. */
  void send(int status, String type, byte[] body) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
    answered = true;
    response.write(true, ByteBuffer.wrap(body), callback);
  }

  /** Ends an answer that was written piece by piece. */
  void finish(ByteBuffer last) {
    answered = true;
    response.write(true, last, callback);
  }

  /** Leaves the answer to somebody else, who completes the callback. */
  void handOver() {
    answered = true;
  }

  /** Cuts the connection, so that the caller does not take half an answer for a whole one. */
  void abort(Throwable failure) {
    answered = true;
    callback.failed(failure);
  }

  /** Whether the answer is on its way, so that nothing else can be said any more. */
  boolean answered() {
    return answered;
  }

  /** Details of an error, for the answer. */
  static Map<String, Object> field(String name) {
    return Map.of("field", name);
  }
}
