package dev.atoll.engine.cache;

import dev.atoll.model.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A page of an index on disk: a line about itself, then the files that it names, one a line, then
 * the page as programs in guests get it.
 *
 * @param bodyAt where the page itself begins
 * @param validAt when the registry last said so
 */
record Page(Path file, About about, long filesAt, long bodyAt, Instant validAt) {
  private static final int MAX_ABOUT = 64 << 10;

  /**
   * What is known about it.
   *
   * @param filesBytes how long the list of files is
   */
  record About(
      String address,
      String type,
      @Nullable String etag,
      @Nullable String modified,
      long filesBytes) {}

  /**
   * A file that the page names.
   *
   * @param digest in the form of {@link Promise#key}; null when the page does not say
   * @param metadata the same for the file's metadata alone, which is at its address with {@code
   *     .metadata} added; null when there is none
   */
  record NamedFile(
      String name, String address, @Nullable String digest, @Nullable String metadata) {}

  /** The page at a place on disk; null when there is none, or none that can be read. */
  static @Nullable Page read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] start = in.readNBytes(MAX_ABOUT);
      int end = 0;
      while (end < start.length && start[end] != '\n') {
        end++;
      }
      About about = Json.lenient().readValue(start, 0, end, About.class);
      long filesAt = end + 1L;
      return new Page(
          file,
          about,
          filesAt,
          filesAt + about.filesBytes(),
          Files.getLastModifiedTime(file).toInstant());
    } catch (NoSuchFileException e) {
      return null;
    } catch (tools.jackson.core.JacksonException e) {
      return null;
    }
  }

  static void write(About about, Path files, Path body, OutputStream out) throws IOException {
    out.write(Json.lenient().writeValueAsBytes(about));
    out.write('\n');
    Files.copy(files, out);
    Files.copy(body, out);
  }

  Answer answer() throws IOException {
    return Answer.of(about.type(), FileBody.open(file, bodyAt));
  }

  /** The file of that name; null when the page names none. */
  @Nullable NamedFile find(String name) throws IOException {
    String sought = "\"name\":" + Json.lenient().writeValueAsString(name) + ",";
    try (InputStream in = Files.newInputStream(file)) {
      in.skipNBytes(filesAt);
      BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      long left = about.filesBytes();
      for (String line = lines.readLine(); line != null && left > 0; line = lines.readLine()) {
        left -= line.getBytes(StandardCharsets.UTF_8).length + 1L;
        if (line.contains(sought)) {
          return Json.lenient().readValue(line, NamedFile.class);
        }
      }
    }
    return null;
  }
}
