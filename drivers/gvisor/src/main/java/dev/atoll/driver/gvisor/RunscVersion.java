package dev.atoll.driver.gvisor;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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

  private static final Pattern LINE =
      Pattern.compile("^runsc version (\\S*?(20\\d{6})\\S*)", Pattern.MULTILINE);

  /** Finds the release in what {@code runsc --version} printed. */
  static Optional<RunscVersion> parse(String output) {
    Matcher matcher = LINE.matcher(output);
    return matcher.find()
        ? Optional.of(new RunscVersion(matcher.group(1), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }

  /** Asks a runsc; empty when it does not answer like one. */
  static Optional<RunscVersion> of(Path runsc, Duration timeout) {
    return parse(Program.run(List.of(runsc.toString(), "--version"), timeout).output());
  }

  boolean supported() {
    return date >= OLDEST;
  }
}
