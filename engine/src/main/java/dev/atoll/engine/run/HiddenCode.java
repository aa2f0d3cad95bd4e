package dev.atoll.engine.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Code of Atoll's own that runs in a user's Python context and leaves nothing behind there: neither
 * a name, nor a last result, nor a numbered cell.
 */
public final class HiddenCode {
  private final String source;

  private HiddenCode(String source) {
    this.source = source;
  }

  /**
   * Reads a Python file that defines {@code main(frame, argument)}; the frame is that of the user's
   * context.
   *
   * @param place the class that the file lies beside
   */
  public static HiddenCode read(Class<?> place, String name) {
    try (InputStream in = place.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the build has left out " + name);
      }
      return new HiddenCode(literal(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The code to run. The function takes itself out of the namespace first, and looks up no name of
   * the user.
   *
   * @param argument an expression of Python
   */
  public String with(String argument) {
    return """
        def __atoll_hidden__():
            import builtins, sys
            frame = sys._getframe(1)
            frame.f_globals.pop("__atoll_hidden__", None)
            room = {"__name__": "atoll_hidden"}
            builtins.exec(builtins.compile(%s, "<atoll>", "exec", dont_inherit=True), room)
            room["main"](frame, %s)
        __atoll_hidden__()
        """
        .formatted(source, argument);
  }

  /** A string of Python, in ASCII. */
  public static String literal(String text) {
    StringBuilder literal = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            c -> {
              if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                literal.append("\\U%08x".formatted(c));
              } else {
                literal.append((char) c);
              }
            });
    return literal.append('"').toString();
  }
}
