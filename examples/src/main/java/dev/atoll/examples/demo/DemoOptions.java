package dev.atoll.examples.demo;

import java.util.Iterator;
import java.util.List;

/**
 * The command line of the demo.
 *
 * @param format the wire format that the scripted model is spoken to in
 * @param json whether events are printed as JSON lines
 */
record DemoOptions(Format format, boolean json) {
  /** Wire formats. */
  enum Format {
    ANTHROPIC,
    OPENAI,
    RESPONSES
  }

  /** Something on the command line is not understood. */
  static final class Misused extends RuntimeException {
    Misused(String message) {
      super(message);
    }
  }

  static DemoOptions parse(List<String> arguments) {
    Format format = Format.ANTHROPIC;
    boolean json = false;
    Iterator<String> words = arguments.iterator();
    while (words.hasNext()) {
      String word = words.next();
      String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
      switch (name) {
        case "--format" -> format = format(value(word, words));
        case "-o", "--output" -> json = json(value(word, words));
        default -> throw new Misused("demo: there is no option " + word);
      }
    }
    return new DemoOptions(format, json);
  }

  private static String value(String word, Iterator<String> words) {
    if (word.contains("=")) {
      return word.substring(word.indexOf('=') + 1);
    }
    if (!words.hasNext()) {
      throw new Misused("demo: " + word + " wants a value");
    }
    return words.next();
  }

  private static Format format(String name) {
    return switch (name) {
      case "anthropic" -> Format.ANTHROPIC;
      case "openai" -> Format.OPENAI;
      case "responses" -> Format.RESPONSES;
      default -> throw new Misused("demo: --format is anthropic, openai or responses");
    };
  }

  private static boolean json(String name) {
    return switch (name) {
      case "json" -> true;
      case "text" -> false;
      default -> throw new Misused("demo: --output is text or json");
    };
  }
}
