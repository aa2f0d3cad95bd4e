package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file system of a few megabytes in memory, so that a disk can be full. */
final class SmallDisk implements AutoCloseable {
  private final Path folder;
  private final Thread hook = new Thread(this::unmount);

  SmallDisk(Path folder, int mebibytes) throws IOException, InterruptedException {
    this.folder = Files.createDirectories(folder);
    run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m,mode=755", "atoll-test", text());
    // Also when the tests are ended from outside.
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private String text() {
    return folder.toString();
  }

  Path folder() {
    return folder;
  }

  void resize(int mebibytes) throws IOException, InterruptedException {
    run("mount", "-o", "remount,size=" + mebibytes + "m", text());
  }

  /** Writes a file that leaves so much room. */
  Path fill(int leftMebibytes) throws IOException {
    Path filler = folder.resolve("filler");
    byte[] block = new byte[1 << 20];
    while (Files.getFileStore(folder).getUsableSpace() > (long) leftMebibytes << 20) {
      Files.write(filler, block, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    return filler;
  }

  /** Writes a file that leaves so many bytes, or a little less. */
  Path fillUpTo(long left) throws IOException {
    Path filler = fill((int) (left >> 20) + 1);
    byte[] block = new byte[4 << 10];
    while (Files.getFileStore(folder).getUsableSpace() > left) {
      Files.write(filler, block, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    return filler;
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", String.join(" ", command), said).isZero();
  }

  private void unmount() {
    try {
      run("umount", "-l", text());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    unmount();
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
