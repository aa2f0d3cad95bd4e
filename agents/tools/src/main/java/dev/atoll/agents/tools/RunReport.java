package dev.atoll.agents.tools;

import dev.atoll.model.AtollException;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunError;
import dev.atoll.model.RunResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Tells a model how a run went: what it wrote, its value, its images, its traceback. */
final class RunReport {
  private static final int MAX_IMAGES = 4;
  // Models take images of up to 5 MB in base64.
  private static final int MAX_IMAGE_BYTES = 3_500_000;

  private final Workspace workspace;
  private final ToolLimits limits;

  RunReport(Workspace workspace, ToolLimits limits) {
    this.workspace = workspace;
    this.limits = limits;
  }

  ToolResult of(RunResult run) {
    List<String> parts = new ArrayList<>();
    String stored = "/tmp/outputs/" + run.id();
    add(parts, "", shortened(run.stdout(), stored + ".stdout"));
    add(parts, "[stderr]\n", shortened(run.stderr(), stored + ".stderr"));
    String value = run.text().orElse(null);
    if (value != null) {
      add(parts, "[value of the last expression]\n", shortened(value, stored + ".value"));
    }
    RunError error = run.error();
    if (error != null) {
      add(parts, "[error]\n", shortened(traceback(error), stored + ".error"));
    }
    if (!run.ok()) {
      parts.add(ending(run));
    }
    List<Content> content = new ArrayList<>();
    List<Content.Image> images = images(run, parts);
    if (parts.isEmpty() && images.isEmpty()) {
      parts.add("(no output: print what you want to see)");
    }
    if (!parts.isEmpty()) {
      content.add(new Content.Text(String.join("\n", parts)));
    }
    content.addAll(images);
    return new ToolResult(content, !run.ok());
  }

  private static void add(List<String> parts, String title, String text) {
    if (!text.isBlank()) {
      parts.add(title + text.stripTrailing());
    }
  }

  private static String traceback(RunError error) {
    String lines = String.join("\n", error.traceback());
    return lines.contains(error.summary()) ? lines : (lines + "\n" + error.summary()).strip();
  }

  private static String ending(RunResult run) {
    String message = run.message() == null ? "" : " " + run.message();
    return switch (run.status()) {
      case ERROR ->
          run.error() == null
              ? "[exit code: %d]%s".formatted(run.exitCode(), message)
              : "[Variables and files are kept. Correct the code and run it again.]" + message;
      case TIMEOUT ->
          "[It was ended after %d s, its time was up.]%s"
              .formatted(run.durationMillis() / 1000, message);
      case KERNEL_DIED ->
          "[The interpreter died: all variables are lost, files are kept.]" + message;
      case SANDBOX_DIED -> "[The sandbox has died.]" + message;
      default -> "[%s]%s".formatted(run.status().wire().replace('_', ' '), message);
    };
  }

  private List<Content.Image> images(RunResult run, List<String> notes) {
    List<Content.Image> images = new ArrayList<>();
    for (MimeBundle shown : run.shown()) {
      shown
          .png()
          .ifPresentOrElse(
              bytes -> add(images, notes, "image/png", bytes),
              () -> shown.jpeg().ifPresent(bytes -> add(images, notes, "image/jpeg", bytes)));
    }
    return images;
  }

  private static void add(
      List<Content.Image> images, List<String> notes, String mediaType, byte[] bytes) {
    if (images.size() >= MAX_IMAGES) {
      notes.add("[another image was left out: at most %d are shown]".formatted(MAX_IMAGES));
    } else if (bytes.length > MAX_IMAGE_BYTES) {
      notes.add(
          "[an image of %,d bytes was left out, at most %,d are shown: lower its resolution]"
              .formatted(bytes.length, MAX_IMAGE_BYTES));
    } else {
      images.add(Content.Image.of(mediaType, bytes));
    }
  }

  /** Leaves out the middle of what is too long, after the whole was stored in the sandbox. */
  String shortened(String text, String path) {
    int limit = limits.outputCharacters();
    if (text.length() <= limit) {
      return text;
    }
    int half = limit / 2;
    String head = text.substring(0, half - (splits(text, half) ? 1 : 0));
    int from = text.length() - half;
    String tail = text.substring(from + (splits(text, from) ? 1 : 0));
    String note =
        "\n[… %,d characters left out here; %s …]\n"
            .formatted(text.length() - head.length() - tail.length(), store(text, path));
    return head + note + tail;
  }

  private static boolean splits(String text, int index) {
    return Character.isLowSurrogate(text.charAt(index));
  }

  private String store(String text, String path) {
    try {
      workspace.write(path, text.getBytes(StandardCharsets.UTF_8), false);
      return "the whole is in the file " + path;
    } catch (AtollException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      return "the whole could not be stored: " + e.getMessage();
    }
  }
}
