package dev.atoll.server.http;

import dev.atoll.engine.KeyOwner;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.Map;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The way of every request: host name, route, key, query, operation. In this order, so that nobody
 * without a key learns which paths exist below {@code /v1}.
 */
final class ApiHandler extends Handler.Abstract {
  private final HttpConfig config;
  private final Router router;
  private final Authentication authentication;
  private final AllowedHosts hosts;
  private final Metrics metrics;
  private final Shutdown shutdown;
  private final Consumer<String> admission;

  /**
   * @param admission refuses requests of a project that makes too many
   */
  ApiHandler(
      HttpConfig config,
      Router router,
      Authentication authentication,
      Metrics metrics,
      Shutdown shutdown,
      Consumer<String> admission) {
    this.config = config;
    this.router = router;
    this.authentication = authentication;
    this.hosts = new AllowedHosts(config);
    this.metrics = metrics;
    this.shutdown = shutdown;
    this.admission = admission;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    try (Shutdown.Stream _ = shutdown.call()) {
      Exchange exchange = new Exchange(request, response, callback, config);
      answer(exchange);
      exchange.over();
    }
    return true;
  }

  private void answer(Exchange exchange) {
    long begun = System.nanoTime();
    Request request = exchange.request();
    // A run may be silent for long; only a connection that waits for its caller may time out.
    request.addIdleTimeoutListener(_ -> false);
    Route route = null;
    try {
      hosts.check(request);
      RouteMatch match = router.match(request.getMethod(), request.getHttpURI().getPath());
      route = routeOf(match);
      authenticate(exchange, match);
      perform(exchange, match);
    } catch (Throwable failure) {
      ErrorRenderer.render(exchange, failure);
    }
    metrics.requestEnded(route, exchange.response().getStatus(), System.nanoTime() - begun);
  }

  private void perform(Exchange exchange, RouteMatch match) throws Exception {
    switch (match) {
      case RouteMatch.Found found -> {
        exchange.matched(found);
        if (found.route().access().closed()) {
          shutdown.check();
          admit(exchange.owner());
        }
        exchange.query();
        found.route().operation().handle(exchange);
      }
      case RouteMatch.WrongMethod wrong ->
          wrongMethod(exchange, String.join(", ", wrong.allowed()));
      case RouteMatch.Unknown _ ->
          throw new AtollException(
              ErrorCode.NOT_FOUND, "there is no such path", "GET /docs shows all of them.");
    }
  }

  /** Whoever runs the server is never held back, least of all by what he may have set wrongly. */
  private void admit(KeyOwner caller) {
    if (!caller.administrator()) {
      admission.accept(caller.project());
    }
  }

  private static @Nullable Route routeOf(RouteMatch match) {
    return match instanceof RouteMatch.Found found ? found.route() : null;
  }

  private void authenticate(Exchange exchange, RouteMatch match) {
    Request request = exchange.request();
    Route route = routeOf(match);
    switch (access(request, route)) {
      case OPEN -> {}
      case LOCAL -> {
        if (!config.loopback()) {
          exchange.authenticated(authentication.owner(request));
        }
      }
      case KEY -> exchange.authenticated(authentication.owner(request));
      case KEY_OR_QUERY -> {
        String key = Authentication.headerKey(request);
        exchange.authenticated(
            authentication.ownerOfKey(key == null ? keyInQuery(request, route) : key));
      }
      case SIGNED ->
          exchange.authenticated(
              authentication.ownerOfUrl(SignedFileUrl.of(request, (RouteMatch.Found) match)));
    }
  }

  private static Access access(Request request, @Nullable Route route) {
    if (route != null) {
      return route.access();
    }
    String path = request.getHttpURI().getPath();
    return path.startsWith("/v1/") || path.equals("/v1") ? Access.KEY : Access.OPEN;
  }

  private static @Nullable String keyInQuery(Request request, @Nullable Route route) {
    return route == null
        ? null
        : Query.parse(request.getHttpURI().getQuery(), route.query()).text("key");
  }

  private static void wrongMethod(Exchange exchange, String allowed) {
    if (exchange.request().getMethod().equals("OPTIONS")) {
      exchange.response().getHeaders().put(HttpHeader.ALLOW, allowed);
      exchange.noContent();
      return;
    }
    throw new AtollException(
        ErrorCode.METHOD_NOT_ALLOWED,
        exchange.request().getMethod() + " is not possible here",
        "Possible are " + allowed + ".",
        Map.of("allow", allowed),
        null);
  }
}
