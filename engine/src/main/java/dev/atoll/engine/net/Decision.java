package dev.atoll.engine.net;

/** What a policy says. The rule is the short form for the record, the message is for a reader. */
sealed interface Decision {

  /** It may be reached. */
  record Allowed(String rule) implements Decision {}

  /**
   * It may not be reached.
   *
   * @param reason one word for the record
   */
  record Refused(String rule, String reason, String message) implements Decision {}

  /** Only the addresses behind the name can tell. */
  record Open() implements Decision {}
}
