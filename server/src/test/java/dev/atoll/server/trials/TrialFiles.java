package dev.atoll.server.trials;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** What is tried, and what is known of it: the files in {@code src/test/resources/trials}. */
final class TrialFiles {
  private static final ObjectMapper YAML =
      YAMLMapper.builder().disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private TrialFiles() {}

  /** A file or a folder. */
  static Path path(String name) {
    return Path.of(
        Objects.requireNonNull(TrialFiles.class.getResource("/trials/" + name)).getPath());
  }

  static String text(String name) throws IOException {
    return Files.readString(path(name));
  }

  /** A list of records in YAML. */
  static <T> List<T> list(String name, Class<T> type) throws IOException {
    JavaType list = YAML.getTypeFactory().constructCollectionType(List.class, type);
    return YAML.readValue(text(name), list);
  }
}
