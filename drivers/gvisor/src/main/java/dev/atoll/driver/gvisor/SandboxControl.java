package dev.atoll.driver.gvisor;

import dev.atoll.model.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Asks the process of a sandbox itself for what {@code runsc checkpoint} and {@code runsc restore}
 * ask of it. Such a command takes 7 to 11 ms of CPU time to start and to end, which is a fifth of a
 * restore, and does nothing else here than to open three files and to send one message.
 *
 * <p>What the sandbox answers is text for a person and nothing more: an escaped guest could write
 * it.
 *
 * @param socket runsc's control socket
 * @param uid who listens there; a sandbox that was taken over may have put a way to somebody else
 *     in its place, who must not get this machine's files, nor be taken for this machine
 * @param timeout how long an answer may take
 */
record SandboxControl(Path socket, int uid, Duration timeout) {
  private static final Logger LOG = LoggerFactory.getLogger(SandboxControl.class);

  /**
   * The release whose messages these are. They are gVisor's own affair, so no other is spoken to.
   */
  private static final String VERSION = "20260905";

  private static final List<String> FILES =
      List.of("checkpoint.img", "pages_meta.img", "pages.img");
  private static final int LONGEST_ANSWER = 1 << 16;
  private static final Duration WRITEBACK = Duration.ofMillis(10);

  /** Whether this is how to talk to a sandbox of that release of runsc. */
  static boolean speaks(String version) {
    return version.equals(VERSION);
  }

  /**
   * Gives a sandbox that was created the state of a checkpoint. Returns at once; what fails is told
   * to the listener, on another thread.
   *
   * <p>The guest goes on before its memory is there: what it touches is read when it does, and the
   * rest some seconds later. The image may be deleted meanwhile, since the sandbox has its files
   * open; it must not be changed, which the lock on the pages tells everybody.
   */
  void restore(Path image, Consumer<String> failed) {
    block(
        "restore",
        () -> {
          try {
            load(image);
          } catch (IOException | RuntimeException e) {
            failed.accept("restoring container: " + e.getMessage());
          }
        });
  }

  private void load(Path image) throws IOException {
    // As runsc does it: an image that is not whole is for the sandbox to refuse.
    boolean pages = Files.exists(image.resolve(FILES.get(1)));
    List<OpenFile> files = new ArrayList<>();
    try (ControlSocket connection = ControlSocket.connect(socket, uid, timeout)) {
      for (String name : pages ? FILES : FILES.subList(0, 1)) {
        files.add(OpenFile.toRead(image.resolve(name)));
      }
      boolean later = pages && ImageFiles.hasAllPages(image) && files.getLast().shareLock();
      call(connection, "SetNetworkArgs", loopback(), List.of());
      call(connection, "Restore", Map.of("HavePagesFile", pages, "Background", later), files);
    } finally {
      close(files);
    }
  }

  /** The one interface of a guest, as runsc describes it with {@code --network=none}. */
  private static Map<String, Object> loopback() {
    return Map.of(
        "LoopbackLinks",
        List.of(
            Map.of(
                "Name",
                "lo",
                "Addresses",
                List.of(
                    Map.of("Address", "127.0.0.1", "PrefixLen", 8),
                    Map.of("Address", "::1", "PrefixLen", 128)),
                "Routes",
                List.of(route("127.0.0.0", "/wAAAA=="), route("::1", "/////////////////////w==")))),
        "IsRestore",
        true);
  }

  private static Map<String, Object> route(String address, String mask) {
    return Map.of("Destination", Map.of("IP", address, "Mask", mask), "Gateway", "", "MTU", 0);
  }

  /**
   * Writes a checkpoint into an empty directory; the guest goes on.
   *
   * @param durable whether the files will be synced, so that the disk had better begin at once
   */
  void checkpoint(Path image, boolean durable) throws IOException, InterruptedException {
    CompletableFuture<Void> saved = new CompletableFuture<>();
    block("checkpoint", () -> save(image, saved));
    if (durable) {
      block("writeback", () -> writeBack(image.resolve(FILES.getLast()), saved));
    }
    try {
      saved.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause() == null ? e.getMessage() : e.getCause().getMessage(), e);
    }
  }

  private void save(Path image, CompletableFuture<Void> saved) {
    Map<String, Object> options =
        Map.of("metadata", Map.of("compression", "none"), "have_pages_file", true, "Resume", true);
    List<OpenFile> files = new ArrayList<>();
    try (ControlSocket connection = ControlSocket.connect(socket, uid, timeout)) {
      try {
        for (String name : FILES) {
          files.add(OpenFile.toWrite(Files.createFile(image.resolve(name))));
        }
        call(connection, "Checkpoint", options, files);
      } finally {
        close(files);
      }
      saved.complete(null);
    } catch (IOException | RuntimeException e) {
      saved.completeExceptionally(e);
    }
  }

  /** Keeps the disk busy while the pages are being written, so that little is left to sync. */
  private static void writeBack(Path file, CompletableFuture<Void> saved) {
    while (!saved.isDone()) {
      LockSupport.parkNanos(WRITEBACK.toNanos());
      if (Files.exists(file)) {
        try (OpenFile pages = OpenFile.toWrite(file)) {
          pages.beginWriteback();
        } catch (IOException e) {
          LOG.debug("no early writing of {}", file, e);
          return;
        }
      }
    }
  }

  private static void block(String name, Runnable work) {
    Thread.ofPlatform().name(name).daemon().start(work);
  }

  /** Stops all tasks of the guest where they hold nothing of gVisor's. */
  void pause() throws IOException {
    simply("Pause");
  }

  /** Lets them go on; only after a pause, since gVisor ends when they were not stopped. */
  void resume() throws IOException {
    simply("Resume");
  }

  private void simply(String method) throws IOException {
    CompletableFuture<Void> done = new CompletableFuture<>();
    block(
        method.toLowerCase(Locale.ROOT),
        () -> {
          try (ControlSocket connection = ControlSocket.connect(socket, uid, timeout)) {
            call(connection, method, Map.of(), List.of());
            done.complete(null);
          } catch (IOException | RuntimeException e) {
            done.completeExceptionally(e);
          }
        });
    try {
      done.get();
    } catch (ExecutionException e) {
      throw new IOException("%s of the guest: %s".formatted(method, e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted at the %s of the guest".formatted(method), e);
    }
  }

  private static void call(
      ControlSocket connection, String method, Map<String, Object> argument, List<OpenFile> files)
      throws IOException {
    connection.send(
        Json.strict()
            .writeValueAsBytes(Map.of("method", "containerManager." + method, "arg", argument)),
        files);
    JsonNode answer = answer(connection);
    if (!answer.path("success").asBoolean(false)) {
      throw new IOException(answer.path("err").asString("no reason given"));
    }
  }

  /** One JSON object, whose end is all that tells that it is whole. */
  private static JsonNode answer(ControlSocket connection) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (bytes.size() < LONGEST_ANSWER) {
      byte[] more = connection.receive(LONGEST_ANSWER - bytes.size());
      if (more.length == 0) {
        throw new IOException("the sandbox has ended");
      }
      bytes.writeBytes(more);
      if (more[more.length - 1] == '}') {
        try {
          return Json.lenient().readTree(bytes.toByteArray());
        } catch (JacksonException e) {
          // More is to come.
        }
      }
    }
    throw new IOException("the sandbox answers with more than %d bytes".formatted(LONGEST_ANSWER));
  }

  private static void close(List<OpenFile> files) throws IOException {
    for (OpenFile file : files) {
      file.close();
    }
  }
}
