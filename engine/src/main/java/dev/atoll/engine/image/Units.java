package dev.atoll.engine.image;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Names of units: what the store keeps or removes as one, as a path below its folder. The whole
 * files of an image are one unit, its layer is one, an assembled copy is one.
 */
final class Units {
  static final String WHOLE = "whole";
  static final String LAYERS = "layers";
  static final String COPIES = "copies";

  /** No separator, no leading dot: such a name cannot lead anywhere else. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");

  private Units() {}

  static String whole(String id) {
    return WHOLE + "/" + id;
  }

  static String layer(String id) {
    return LAYERS + "/" + id;
  }

  /** The image that a unit was made for. */
  static String image(String unit) {
    return unit.substring(unit.lastIndexOf('/') + 1);
  }

  /** The unit that a source file belongs to. */
  static String of(String source) {
    String[] parts = source.split("/", -1);
    boolean valid =
        parts[0].equals(parts.length == 3 ? WHOLE : LAYERS)
            && parts.length >= 2
            && parts.length <= 3
            && List.of(parts).stream().allMatch(part -> NAME.matcher(part).matches());
    if (!valid) {
      throw new IllegalArgumentException("no source of an image: " + source);
    }
    return parts[0] + "/" + parts[1];
  }

  static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /** An image's id or the name of a checkpoint file, which become names of files. */
  static String checkName(String name) {
    if (!isName(name)) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "not a name for an image or a file of it: " + name,
          "use letters, digits, dot, dash and underscore, at most 128 of them, no dot first");
    }
    return name;
  }
}
