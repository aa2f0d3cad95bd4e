package dev.atoll.server.http;

import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Gives requests that Jetty itself refuses, such as malformed ones, the same form of answer. */
final class JettyErrors implements Request.Handler {
  private final HttpConfig config;

  JettyErrors(HttpConfig config) {
    this.config = config;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int status = response.getStatus() < 400 ? 500 : response.getStatus();
    String reason =
        request.getAttribute(ErrorHandler.ERROR_MESSAGE) instanceof String text ? text : null;
    // A failed request of a caller who left comes here too; only its cause tells.
    Throwable failure =
        request.getAttribute(ErrorHandler.ERROR_EXCEPTION) instanceof EofException gone
            ? gone
            : new HttpException.RuntimeException(status, reason);
    ErrorRenderer.render(new Exchange(request, response, callback, config), failure);
    return true;
  }
}
