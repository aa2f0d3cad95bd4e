package dev.atoll.server.http;

/**
 * What an id or a name in a path may look like: {@code [A-Za-z0-9._-]{1,64}}, but no dots alone.
 */
final class Names {
  private static final int MAX_LENGTH = 64;

  private Names() {}

  static boolean valid(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH || name.equals(".") || name.equals("..")) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (!allowed(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean allowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }
}
