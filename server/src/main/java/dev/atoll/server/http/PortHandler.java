package dev.atoll.server.http;

import dev.atoll.engine.Ports;
import dev.atoll.engine.service.Passage;
import dev.atoll.engine.service.Services;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import java.util.Objects;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Takes the requests that are for a port of a sandbox or for a service, whether as a host or below
 * a path, and leaves all others to the API. A host that stands for a port never answers as the API.
 */
final class PortHandler extends Handler.Wrapper {
  /** How these requests are counted; it is not a route. */
  private static final Route COUNTED =
      Route.of("ANY", "/v1/sandboxes/{sb}/ports/{port}/{path}", _ -> {});

  private static final Route SERVICES = Route.of("ANY", "/services/{name}/{path}", _ -> {});

  private static final Set<String> NOT_FOR_PROGRAMS = Set.of("CONNECT", "TRACE");

  private final HttpConfig config;
  private final Ports ports;
  private final Services services;
  private final PortGate gate;
  private final PortGate serviceGate;
  private final AllowedHosts hosts;
  private final Metrics metrics;
  private final Shutdown shutdown;

  PortHandler(
      Handler api,
      HttpConfig config,
      Ports ports,
      Services services,
      Authentication keys,
      Metrics metrics,
      Shutdown shutdown) {
    super(api);
    this.config = config;
    this.ports = ports;
    this.services = services;
    this.gate = new PortGate(ports, keys);
    this.serviceGate = new PortGate(services, keys);
    this.hosts = new AllowedHosts(config);
    this.metrics = metrics;
    this.shutdown = shutdown;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    PortAddress address = PortAddress.of(request, config.ports());
    if (address == null) {
      return super.handle(request, response, callback);
    }
    long begun = System.nanoTime();
    request.addIdleTimeoutListener(_ -> false);
    Exchange exchange = new Exchange(request, response, callback, config);
    try {
      perform(exchange, address);
    } catch (Throwable failure) {
      ErrorRenderer.render(exchange, failure, PortHandler::form);
    }
    exchange.over();
    metrics.requestEnded(
        address.isService() ? SERVICES : COUNTED, response.getStatus(), System.nanoTime() - begun);
    return true;
  }

  private void perform(Exchange exchange, PortAddress address) throws Exception {
    Request request = exchange.request();
    if (!address.byHost()) {
      hosts.check(request);
    }
    shutdown.check();
    if (NOT_FOR_PROGRAMS.contains(request.getMethod())) {
      throw new AtollException(
          ErrorCode.METHOD_NOT_ALLOWED, request.getMethod() + " is not possible here");
    }
    PortGate.Pass pass = (address.isService() ? serviceGate : gate).admit(request, address);
    exchange.admit(pass.project());
    if (pass.remember()) {
      String token = Objects.requireNonNull(address.token());
      exchange
          .response()
          .getHeaders()
          .add(PortGate.remembered(token, PortRewriting.isSecure(request)));
      exchange.response().getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
      exchange.redirect(address.target());
      return;
    }
    if (address.isService()) {
      Passage passage = services.connect(pass.project(), pass.sandbox());
      new PortCall(exchange, address.at(passage.port()), passage.connection()).run();
      return;
    }
    new PortCall(exchange, address, ports.connect(pass.project(), pass.sandbox(), address.port()))
        .run();
  }

  private static ErrorRenderer.Form form(Exchange exchange, ErrorBody error) {
    return PortPage.wanted(exchange.request())
        ? new ErrorRenderer.Form("text/html;charset=utf-8", PortPage.of(error))
        : ErrorRenderer.json(error);
  }
}
