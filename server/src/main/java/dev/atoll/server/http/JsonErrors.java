package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.ValueInstantiationException;

/** Says what is wrong with a body in the words of the API instead of those of the parser. */
final class JsonErrors {
  private static final int MAX_NAME = 80;

  private JsonErrors() {}

  static AtollException explain(JacksonException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof AtollException own) {
        return own;
      }
    }
    return switch (failure) {
      case ValueInstantiationException value -> wrongValue(value);
      case MismatchedInputException mismatch -> wrongType(mismatch);
      case StreamConstraintsException limit ->
          failed(
              ErrorCode.BAD_REQUEST,
              "the body is nested too deeply, or a name or a number in it is too long",
              null,
              "",
              limit);
      default -> notJson(failure);
    };
  }

  private static AtollException wrongValue(ValueInstantiationException failure) {
    String hint = values(failure.getType().getRawClass());
    return failed(
        ErrorCode.INVALID_ARGUMENT,
        path(failure) + " has a value that it cannot have",
        hint,
        path(failure),
        failure);
  }

  private static AtollException wrongType(MismatchedInputException failure) {
    Class<?> target = failure.getTargetType();
    String where = path(failure).isEmpty() ? "the body" : path(failure);
    return failed(
        ErrorCode.BAD_REQUEST,
        where + " is not of the right type, must be " + describe(target),
        target == null ? null : values(target),
        path(failure),
        failure);
  }

  private static AtollException notJson(JacksonException failure) {
    TokenStreamLocation at = failure.getLocation();
    String where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
    return failed(
        ErrorCode.BAD_REQUEST,
        "the body is not valid JSON" + where + ": " + firstLine(failure),
        null,
        "",
        failure);
  }

  private static AtollException failed(
      ErrorCode code, String message, @Nullable String hint, String field, Throwable cause) {
    Map<String, Object> details = field.isEmpty() ? Map.of() : Map.of("field", field);
    return new AtollException(code, message, hint, details, cause);
  }

  private static String describe(@Nullable Class<?> type) {
    if (type == null || type.isRecord() || Map.class.isAssignableFrom(type)) {
      return "an object";
    }
    if (type == String.class || type.isEnum()) {
      return "a string";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    if (List.class.isAssignableFrom(type)) {
      return "an array";
    }
    return type == Double.class || type == double.class ? "a number" : "a whole number";
  }

  private static @Nullable String values(Class<?> type) {
    Object[] constants = type.getEnumConstants();
    return constants == null
        ? null
        : "One of: "
            + Arrays.stream(constants)
                .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "))
            + ".";
  }

  private static String path(JacksonException failure) {
    StringBuilder path = new StringBuilder();
    for (JacksonException.Reference step : failure.getPath()) {
      if (step.getPropertyName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(shorten(step.getPropertyName()));
      }
    }
    return path.toString();
  }

  private static String firstLine(JacksonException failure) {
    String message = String.valueOf(failure.getOriginalMessage());
    return shorten(message.lines().findFirst().orElse("")).replaceAll("[\\p{Cntrl}]", " ");
  }

  static String shorten(String name) {
    return name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME) + "…";
  }
}
