package dev.atoll.server.http;

/** What a route does. Runs on a virtual thread of its own and may block. */
@FunctionalInterface
interface Operation {

  /** Answers the request; whatever it throws becomes an error answer. */
  void handle(Exchange exchange) throws Exception;
}
