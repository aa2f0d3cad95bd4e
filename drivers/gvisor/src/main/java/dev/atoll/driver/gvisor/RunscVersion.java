package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The release of a runsc.
 *
 * @param text as runsc says it, such as {@code 0.0~20240729.0} or {@code release-20240729.0}
 * @param date the day of the release as a number, such as 20240729
 */
record RunscVersion(String text, int date) {
  /** The first release that can write a checkpoint and go on. */
  static final int OLDEST = 20240729;

  /** The release that Atoll is tested with, and that its launcher builds. */
  static final int TESTED = 20260905;

  private static final Pattern LINE =
      Pattern.compile(
          "^runsc version (\\S*?(20\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01]))\\S*)",
          Pattern.MULTILINE);

  /** Finds the release in what {@code runsc --version} printed. */
  static Optional<RunscVersion> parse(String output) {
    Matcher matcher = LINE.matcher(output);
    return matcher.find()
        ? Optional.of(new RunscVersion(matcher.group(1), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }

  /** Asks a runsc; empty when it does not answer like one. */
  static Optional<RunscVersion> of(Path runsc, Duration timeout) {
    try {
      return parse(Program.run(List.of(runsc.toString(), "--version"), timeout).output());
    } catch (AtollException e) {
      return Optional.empty(); // no program at all
    }
  }

  /** The day of the release. */
  LocalDate day() {
    // Lenient: what a program says of itself need not be a day of the calendar.
    return LocalDate.of(date / 10000, date / 100 % 100, 1).plusDays(date % 100 - 1L);
  }

  /** What to do about its age, if anything. */
  Optional<String> advice(LocalDate today) {
    String month = DateTimeFormatter.ofPattern("MMMM yyyy", Locale.ENGLISH).format(day());
    if (date < TESTED) {
      return Optional.of(
          "runsc is of %s, older than the %d that Atoll is tested with: holes that were closed since may be open in it. Run `./atoll setup` with a network and without ATOLL_RUNSC."
              .formatted(month, TESTED));
    }
    return day().plusYears(1).isBefore(today)
        ? Optional.of("runsc is of " + month + ", more than a year old: update Atoll.")
        : Optional.empty();
  }

  /** How it relates to the one that Atoll is tested with. */
  String standing() {
    return date == TESTED
        ? "which Atoll is tested with"
        : "%s than the %d that Atoll is tested with"
            .formatted(date < TESTED ? "older" : "newer", TESTED);
  }

  boolean supported() {
    return date >= OLDEST;
  }
}
