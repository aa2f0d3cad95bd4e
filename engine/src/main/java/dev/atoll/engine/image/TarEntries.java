package dev.atoll.engine.image;

import com.github.luben.zstd.ZstdInputStream;
import dev.atoll.engine.tree.NameText;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an archive that a stranger may have written. The library that reads it believes
 * every length; what it may read for one header, and in all, is bounded below it.
 */
final class TarEntries {
  private static final int MAGIC_BYTES = 6;
  private static final int MOST_ATTRIBUTES = 1000;

  private final BoundedArchive bounded;
  private final TarArchiveInputStream tar;
  private @Nullable TarArchiveEntry current;

  TarEntries(InputStream in, UnpackBounds bounds) throws IOException {
    try {
      this.bounded = new BoundedArchive(plain(in), bounds);
    } catch (ZipException | EOFException e) {
      throw invalid(e);
    }
    this.tar = new TarArchiveInputStream(bounded, "UTF-8");
  }

  /** The next entry; null after the last one. */
  @Nullable TarArchiveEntry next() throws IOException {
    return checked(
        () -> {
          drain();
          bounded.beginHeader();
          TarArchiveEntry entry = tar.getNextEntry();
          bounded.endHeader();
          current = entry;
          // Attributes of the whole archive add up from one entry to the next.
          if (entry != null && entry.getExtraPaxHeaders().size() > MOST_ATTRIBUTES) {
            throw invalid(entry, "more than " + MOST_ATTRIBUTES + " attributes");
          }
          return entry;
        });
  }

  /** What the last entry has and nobody has read is no part of the next one's header. */
  private void drain() throws IOException {
    TarArchiveEntry last = current;
    if (last == null || last.isDirectory() || !tar.canReadEntryData(last)) {
      return;
    }
    byte[] buffer = new byte[1 << 14];
    int n = tar.read(buffer);
    while (n >= 0) {
      n = tar.read(buffer);
    }
  }

  /** Reads on in the current entry; negative at its end. */
  int read(byte[] buffer) throws IOException {
    Integer n =
        checked(
            () -> {
              if (current != null && !tar.canReadEntryData(current)) {
                throw invalid(current, "it is stored in a form that cannot be read");
              }
              return tar.read(buffer);
            });
    return n == null ? -1 : n;
  }

  /** Something that reads the archive. */
  @FunctionalInterface
  private interface Reading<T> {
    @Nullable T run() throws IOException;
  }

  /** The library throws all kinds of exceptions at archives that make no sense. */
  private <T> @Nullable T checked(Reading<T> reading) throws IOException {
    try {
      return reading.run();
    } catch (BoundedArchive.ExceededException e) {
      throw new AtollException(
          ErrorCode.TOO_LARGE,
          "the archive cannot be unpacked: " + after() + e.getMessage(),
          "make an archive without it, or in smaller parts");
    } catch (AtollException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // The archive is a file of the server's: what cannot be read is wrong in itself.
      throw invalid(e);
    }
  }

  private AtollException invalid(Exception e) {
    return invalid(
        after() + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
  }

  private String after() {
    TarArchiveEntry last = current;
    return last == null ? "" : "after " + shown(last) + ": ";
  }

  /** A name of an archive, one character for each byte. */
  static String text(String name) {
    if (name.indexOf('\ufffd') >= 0) {
      throw invalid("it has a name that is not UTF-8: " + NameText.shown(NameText.of(name)));
    }
    return NameText.of(name);
  }

  static String shown(TarArchiveEntry entry) {
    return "'" + NameText.shown(NameText.of(entry.getName())) + "'";
  }

  static AtollException invalid(TarArchiveEntry entry, String why) {
    return invalid(shown(entry) + ": " + why);
  }

  static AtollException invalid(String why) {
    return new AtollException(ErrorCode.INVALID_ARGUMENT, "the archive cannot be unpacked: " + why);
  }

  private static InputStream plain(InputStream in) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(in, 1 << 16);
    buffered.mark(MAGIC_BYTES);
    byte[] magic = buffered.readNBytes(MAGIC_BYTES);
    buffered.reset();
    int first = magic.length < 4 ? 0 : ((magic[0] & 0xff) << 8) | (magic[1] & 0xff);
    return switch (first) {
      case 0x1f8b -> new GZIPInputStream(buffered, 1 << 16);
      case 0x28b5 -> new ZstdInputStream(buffered);
      case 0xfd37, 0x425a -> throw invalid("it is compressed with xz or bzip2; use gzip or zstd");
      default -> buffered;
    };
  }
}
