package dev.atoll.sdk;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Permission bits of tar and those of the JDK. */
final class TarMode {
  private static final String ALL = "rwxrwxrwx";

  private TarMode() {}

  static int bits(Set<PosixFilePermission> permissions) {
    String letters = PosixFilePermissions.toString(permissions);
    int bits = 0;
    for (int i = 0; i < ALL.length(); i++) {
      bits = bits << 1 | (letters.charAt(i) == '-' ? 0 : 1);
    }
    return bits;
  }

  static Set<PosixFilePermission> permissions(int bits) {
    StringBuilder letters = new StringBuilder(ALL);
    for (int i = 0; i < ALL.length(); i++) {
      if ((bits & (0400 >> i)) == 0) {
        letters.setCharAt(i, '-');
      }
    }
    return PosixFilePermissions.fromString(letters.toString());
  }
}
