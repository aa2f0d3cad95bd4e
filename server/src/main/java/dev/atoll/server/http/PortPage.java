package dev.atoll.server.http;

import dev.atoll.model.ErrorBody;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** Tells a person in a browser why there is no page. */
final class PortPage {
  private PortPage() {}

  /** Whether the caller is somebody who reads pages. */
  static boolean wanted(Request request) {
    String accept = request.getHeaders().get(HttpHeader.ACCEPT);
    return accept != null && accept.contains("text/html");
  }

  static String of(ErrorBody error) {
    String hint = error.hint();
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <meta name="robots" content="noindex">
      <title>%1$s</title>
      <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1rem; color: #222; background: #fff }
      h1 { font-size: 1.4rem }
      p.small { color: #666; font-size: .85rem }
      @media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } p.small { color: #999 } }
      </style>
      </head>
      <body>
      <h1>%1$s</h1>
      <p>%2$s</p>
      <p class="small">Atoll · %3$s · %4$s</p>
      </body>
      </html>
      """
        .formatted(
            escaped(capital(error.message())),
            escaped(hint == null ? "" : capital(hint)),
            escaped(error.code().wire()),
            escaped(error.requestId()));
  }

  private static String capital(String text) {
    return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  /** What a guest or a caller wrote may be in a message. */
  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
