package dev.atoll.engine.cache;

import java.util.Locale;

/**
 * The name of a wheel, which ends with the platforms that it is for: {@code
 * numpy-2.3.4-cp313-cp313-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl}.
 */
final class WheelName {
  private static final String ENDING = ".whl";

  /** Between project, version, Python, interface and platforms. */
  private static final int MARKS = 4;

  private static final String PROCESSOR = processor(System.getProperty("os.arch", ""));

  private WheelName() {}

  /**
   * Whether guests of this machine may use a file: they have its processor and Linux. Most files of
   * a compiled package are for others, and pip would look at every one of them.
   */
  static boolean mayFit(String file) {
    return mayFit(file, PROCESSOR);
  }

  static boolean mayFit(String file, String processor) {
    String name = file.toLowerCase(Locale.ROOT);
    if (!name.endsWith(ENDING) || name.chars().filter(c -> c == '-').count() < MARKS) {
      return true;
    }
    String platforms = name.substring(name.lastIndexOf('-') + 1, name.length() - ENDING.length());
    for (String platform : platforms.split("\\.", -1)) {
      if (platform.equals("any")
          || (platform.contains("linux") && platform.endsWith("_" + processor))) {
        return true;
      }
    }
    return false;
  }

  /** As Python names it. */
  static String processor(String java) {
    return java.equals("amd64") ? "x86_64" : java;
  }
}
