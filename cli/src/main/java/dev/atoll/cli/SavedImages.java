package dev.atoll.cli;

import dev.atoll.model.MimeBundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Saves the images of a run as files that were not there before, or counts what was not saved.
 * Charts that a browser draws have no image: they are saved as pages.
 */
final class SavedImages {
  /** In the order of preference: of one thing in several forms, the first is saved. */
  private static final Map<String, String> ENDINGS = endings();

  /** Forms of charts that a browser draws, by the libraries' names. */
  private static final Map<String, String> DRAWN_BY =
      Map.of("application/vnd.plotly.v", "plotly", "application/vnd.vegalite.v", "altair");

  private final Stdio stdio;
  private final @Nullable Path folder;
  private int number;
  private int unsaved;

  SavedImages(Stdio stdio, @Nullable Path folder) {
    this.stdio = stdio;
    this.folder = folder;
  }

  private static Map<String, String> endings() {
    Map<String, String> endings = new LinkedHashMap<>();
    endings.put("image/png", "png");
    endings.put("image/jpeg", "jpg");
    endings.put("image/gif", "gif");
    endings.put("image/webp", "webp");
    endings.put("image/svg+xml", "svg");
    endings.put("application/pdf", "pdf");
    return endings;
  }

  /** Saves the image that a value has, if it has one. */
  void take(MimeBundle bundle) {
    for (Map.Entry<String, String> ending : ENDINGS.entrySet()) {
      byte[] image = bundle.bytes(ending.getKey()).orElse(null);
      if (image != null) {
        if (folder == null) {
          unsaved++;
        } else {
          save(folder, ending.getValue(), image);
        }
        return;
      }
    }
    bundle.forms().keySet().stream()
        .flatMap(type -> DRAWN_BY.entrySet().stream().filter(e -> type.startsWith(e.getKey())))
        .map(Map.Entry::getValue)
        .findFirst()
        .ifPresent(library -> takePage(bundle, library));
  }

  private void takePage(MimeBundle bundle, String library) {
    String html = bundle.html().orElse(null);
    if (folder == null) {
      unsaved++;
    } else if (html == null) {
      stdio.message(
          "a figure of %s was not saved: it is too large to be sent as a page; have the code write it to a file, then atoll cp"
              .formatted(library));
    } else {
      String page = "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n" + html;
      save(folder, "html", page.getBytes(StandardCharsets.UTF_8));
    }
  }

  private void save(Path into, String ending, byte[] image) {
    try {
      Files.createDirectories(into);
      while (true) {
        number++;
        Path file = into.resolve("image-" + number + "." + ending);
        try {
          Files.write(file, image, StandardOpenOption.CREATE_NEW);
          stdio.message("saved " + file);
          return;
        } catch (FileAlreadyExistsException e) {
          // Kept from an earlier run: this one gets the next number.
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whoever made images and sees none should know how to get them. */
  void tellOfUnsaved() {
    if (unsaved > 0) {
      stdio.message(
          (unsaved == 1 ? "1 image was" : unsaved + " images were")
              + " not saved; --save-images DIR does");
    }
  }
}
