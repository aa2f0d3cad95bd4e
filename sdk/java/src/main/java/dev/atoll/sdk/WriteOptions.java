package dev.atoll.sdk;

import org.jspecify.annotations.Nullable;

/** How a file is written. */
public final class WriteOptions {
  private @Nullable String mode;
  private boolean parents = true;
  private boolean append;

  WriteOptions() {}

  /** Permission bits in octal, such as {@code 0755}. */
  public WriteOptions mode(String octal) {
    mode = octal;
    return this;
  }

  /** Fails when the directory is absent, instead of making it. */
  public WriteOptions withoutParents() {
    parents = false;
    return this;
  }

  /** Adds to what is there. */
  public WriteOptions append() {
    append = true;
    return this;
  }

  ApiRequest apply(ApiRequest request) {
    return request.query("mode", mode).query("parents", parents).query("append", append);
  }
}
