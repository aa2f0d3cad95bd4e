package dev.atoll.engine.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * Source files opened for reading, each once. For one thread; closing it ends all access.
 *
 * <p>Mapping them is safe because nobody ever shortens a source, and a unit in use is pinned.
 */
final class Sources implements AutoCloseable {
  private static final int MAX_TEXT = 4096;

  private final Layout layout;
  private final Arena arena = Arena.ofConfined();
  private final Map<String, FileChannel> channels = new HashMap<>();
  private final Map<String, MemorySegment> mapped = new HashMap<>();

  Sources(Layout layout) {
    this.layout = layout;
  }

  FileChannel channel(String source) {
    return channels.computeIfAbsent(
        source,
        name -> Disk.unchecked(() -> FileChannel.open(layout.unit(name), StandardOpenOption.READ)));
  }

  MemorySegment memory(String source) {
    return mapped.computeIfAbsent(
        source,
        name ->
            Disk.unchecked(
                () -> {
                  FileChannel channel = channel(name);
                  return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
                }));
  }

  /** The bytes of an extent of a real source. */
  MemorySegment memory(Extent extent) {
    return memory(extent.source()).asSlice(extent.offset(), extent.length());
  }

  /** A short file as text. */
  String text(StoredFile file) {
    if (file.size() > MAX_TEXT) {
      throw new IllegalArgumentException(file.name() + " has " + file.size() + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
    for (Extent extent : file.extents()) {
      if (extent.isZeros()) {
        bytes.position(bytes.position() + (int) extent.length());
      } else {
        bytes.put(memory(extent).asByteBuffer());
      }
    }
    return new String(bytes.array(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    arena.close();
    for (FileChannel channel : channels.values()) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
