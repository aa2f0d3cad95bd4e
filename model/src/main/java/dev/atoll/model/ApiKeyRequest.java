package dev.atoll.model;

/** A key to create. */
public record ApiKeyRequest(String name) {
  public ApiKeyRequest {
    Check.that(
        name != null && !name.isBlank() && name.length() <= 64,
        "name",
        "must have 1 to 64 characters");
  }
}
