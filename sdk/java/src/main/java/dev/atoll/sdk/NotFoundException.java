package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** There is no such thing: no such template, snapshot, pool, context, process or file. */
public class NotFoundException extends ApiException {
  /** A failure that the server answered. */
  public NotFoundException(ErrorBody body) {
    super(body, null);
  }
}
