package dev.atoll.model;

/** Ports from one to another, both included; written {@code 443} or {@code 8000-8100}. */
public record PortRange(int first, int last) {
  public PortRange {
    Check.range("port", first, 1, 65_535);
    Check.range("port", last, first, 65_535);
  }

  /** Reads the text form. */
  public static PortRange parse(String text) {
    Check.that(
        text.matches("[0-9]{1,5}(-[0-9]{1,5})?"),
        "port",
        "must be a number or a range like 8000-8100: " + text);
    int dash = text.indexOf('-');
    return dash < 0
        ? new PortRange(Integer.parseInt(text), Integer.parseInt(text))
        : new PortRange(
            Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
  }

  public boolean contains(int port) {
    return port >= first && port <= last;
  }

  @Override
  public String toString() {
    return first == last ? Integer.toString(first) : first + "-" + last;
  }
}
