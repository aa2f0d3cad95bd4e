package dev.atoll.engine.template;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NearestName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads recipes in YAML or JSON, and says where and what is wrong with one. */
public final class RecipeReader {
  /** No recipe is larger; a parser must not be fed with more. */
  public static final int MOST_BYTES = 1 << 20;

  private static final String HINT = "see docs/templates.md for what a recipe may say";
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private RecipeReader() {}

  /** Reads a recipe that came from somewhere; errors begin with that name. */
  public static Recipe read(String source, byte[] text) {
    if (text.length > MOST_BYTES) {
      throw new AtollException(
          ErrorCode.TOO_LARGE, source + ": a recipe has at most " + MOST_BYTES + " bytes");
    }
    try {
      Recipe recipe = YAML.readValue(text, Recipe.class);
      if (recipe == null) {
        throw invalid(source + " is empty", HINT, null);
      }
      return recipe;
    } catch (JacksonException e) {
      throw explain(source, e, new String(text, StandardCharsets.UTF_8));
    } catch (AtollException e) {
      throw invalid(source + ": " + e.getMessage(), HINT, e);
    }
  }

  private static AtollException explain(String source, JacksonException e, String text) {
    String where = source + where(e, text);
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof AtollException own) {
        return invalid(source + ": " + own.getMessage(), HINT, own);
      }
    }
    if (e instanceof UnrecognizedPropertyException unknown) {
      List<String> known = new ArrayList<>();
      unknown.getKnownPropertyIds().forEach(id -> known.add(String.valueOf(id)));
      return invalid(
          where + ": there is no key " + unknown.getPropertyName(),
          NearestName.hint(unknown.getPropertyName(), known),
          e);
    }
    if (e instanceof MismatchedInputException) {
      String path = path(e);
      return invalid(
          where + ": " + (path.isEmpty() ? "this" : path) + " is not of the right type", HINT, e);
    }
    String reason = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
    return invalid(where + ": this is not YAML: " + reason, text.contains("\t") ? TABS : HINT, e);
  }

  private static final String TABS = "YAML is indented with spaces, never with tabs";

  /** Where it is; the parser does not always know, but then it knows the key. */
  private static String where(JacksonException e, String text) {
    TokenStreamLocation at = e.getLocation();
    if (at != null && at.getLineNr() > 0) {
      return ", line " + at.getLineNr();
    }
    String key = e.getPath().isEmpty() ? null : e.getPath().getLast().getPropertyName();
    if (key == null) {
      return "";
    }
    Pattern said = Pattern.compile("(?:^|[\\s{,\"'-])" + Pattern.quote(key) + "[\"']?\\s*:");
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (said.matcher(lines.get(i)).find()) {
        return ", line " + (i + 1);
      }
    }
    return "";
  }

  private static String path(JacksonException e) {
    StringBuilder path = new StringBuilder();
    for (JacksonException.Reference step : e.getPath()) {
      if (step.getPropertyName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getPropertyName());
      }
    }
    return path.toString();
  }

  private static AtollException invalid(String message, String hint, @Nullable Throwable cause) {
    return new AtollException(ErrorCode.INVALID_ARGUMENT, message, hint, Map.of(), cause);
  }
}
