package dev.atoll.cli;

/** For whom the output is. */
enum OutputForm {
  /** For people. */
  text,
  /** For scripts: one JSON document. */
  json
}
