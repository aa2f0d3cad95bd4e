package dev.atoll.model;

/** The version that a tag is to point to. */
public record TagRequest(int version) {
  public TagRequest {
    Check.that(version > 0, "version", "must be a whole number from 1 on");
  }
}
