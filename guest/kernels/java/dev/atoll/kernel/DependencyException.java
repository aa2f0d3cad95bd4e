package dev.atoll.kernel;

/** A library that code asks for cannot be had. */
public final class DependencyException extends Exception {
  private static final long serialVersionUID = 1;

  private final String code;

  /**
   * Says why.
   *
   * @param code as the server names such a failure
   * @param message names the library and says what to do
   */
  public DependencyException(String code, String message) {
    super(message);
    this.code = code;
  }

  /** As the server names such a failure. */
  public String code() {
    return code;
  }

  @Override
  public String toString() {
    return code + ": " + getMessage();
  }
}
