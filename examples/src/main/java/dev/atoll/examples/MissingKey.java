package dev.atoll.examples;

/** The key of a model's provider is not in the environment. */
final class MissingKey extends IllegalStateException {
  private static final long serialVersionUID = 1;

  MissingKey(String variable) {
    super(variable + " is not set: this example asks a real model; `./atoll demo` needs none");
  }
}
