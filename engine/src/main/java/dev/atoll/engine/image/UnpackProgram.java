package dev.atoll.engine.image;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks what strangers wrote, and ends. A process of its own, because what reads archives
 * believes what they say: all that it can reach is the tree, and all that it can use up is its own.
 */
final class UnpackProgram {
  private static final int BUFFER = 1 << 16;
  private static final int MOST_RECORD = 1 << 16;

  private UnpackProgram() {}

  /** Reads an {@link UnpackRequest}; prints {@code ok}, or an error: code, message, hint. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try {
      run(new DataInputStream(new BufferedInputStream(System.in, BUFFER)));
      out.print("ok");
    } catch (AtollException e) {
      print(out, e.code(), e.getMessage(), e.hint());
    } catch (IOException | UncheckedIOException e) {
      print(out, ErrorCode.INTERNAL, e.getMessage(), "");
    } catch (RuntimeException e) {
      // A library that stumbles over what it reads has found something that makes no sense.
      print(out, ErrorCode.INVALID_ARGUMENT, "the archive cannot be unpacked: " + e, "");
    }
  }

  private static void print(
      PrintStream out, ErrorCode code, @Nullable String message, @Nullable String hint) {
    out.print(code.name() + "\0" + message + "\0" + (hint == null ? "" : hint));
  }

  private static void run(DataInputStream in) throws IOException {
    UnpackRequest request = UnpackRequest.read(in);
    Path root = Path.of(request.root());
    try (TarOverlay overlay = new TarOverlay(root, request.mostBytes())) {
      for (UnpackRequest.Step step : request.steps()) {
        if (step.kind() == Unpacker.Kind.TREE) {
          tree(root, in);
          continue;
        }
        try (InputStream file = Files.newInputStream(Path.of(step.file()))) {
          switch (step.kind()) {
            case ARCHIVE -> overlay.apply(file);
            case LAYER -> overlay.applyLayer(file);
            case REMOVALS -> remove(new BufferedInputStream(file, BUFFER), overlay);
            case TREE -> throw new IllegalStateException("a tree is no file");
          }
        }
      }
    }
  }

  private static void tree(Path root, DataInputStream in) throws IOException {
    try (TreeUnpack tree = new TreeUnpack(root)) {
      for (int kind = in.readByte(); kind != Archive.END_OF_TREE; kind = in.readByte()) {
        tree.add(TreeEntry.read(kind, in), in);
      }
      tree.finish();
    }
  }

  private static void remove(InputStream list, TarOverlay overlay) throws IOException {
    ByteArrayOutputStream path = new ByteArrayOutputStream();
    for (int b = list.read(); b >= 0; b = list.read()) {
      if (b != 0) {
        path.write(b);
        if (path.size() > MOST_RECORD) {
          throw new IOException("a path of more than " + MOST_RECORD + " bytes");
        }
        continue;
      }
      overlay.remove(path.toString(StandardCharsets.ISO_8859_1));
      path.reset();
    }
  }
}
