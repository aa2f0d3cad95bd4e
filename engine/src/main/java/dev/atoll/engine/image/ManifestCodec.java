package dev.atoll.engine.image;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Manifests as bytes: magic, version, settled, ancestors, the names of the sources once, then per
 * file its extents of 20 bytes each; a CRC-32C of it all at the end. Everything is big-endian.
 */
final class ManifestCodec {
  private static final int MAGIC = 0x41744d46;
  private static final int VERSION = 1;

  private ManifestCodec() {}

  static byte[] encode(Manifest manifest) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(MAGIC);
      out.writeInt(VERSION);
      out.writeBoolean(manifest.settled());
      writeNames(out, manifest.ancestors());
      Map<String, Integer> sources = sources(manifest);
      writeNames(out, List.copyOf(sources.keySet()));
      out.writeInt(manifest.files().size());
      for (StoredFile file : manifest.files()) {
        out.writeUTF(file.name());
        out.writeInt(file.extents().size());
        for (Extent extent : file.extents()) {
          out.writeInt(sources.getOrDefault(extent.source(), -1));
          out.writeLong(extent.offset());
          out.writeLong(extent.length());
        }
      }
      out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Throws an {@link IOException} for anything that {@link #encode} did not make. */
  static Manifest decode(byte[] bytes) throws IOException {
    int body = bytes.length - Integer.BYTES;
    if (body < 0 || ByteBuffer.wrap(bytes).getInt(body) != checksum(bytes, body)) {
      throw new IOException("manifest with a wrong checksum");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, body));
    if (in.readInt() != MAGIC || in.readInt() != VERSION) {
      throw new IOException("manifest of an unknown version");
    }
    boolean settled = in.readBoolean();
    List<String> ancestors = readNames(in);
    List<String> sources = readNames(in);
    sources.stream().filter(source -> !source.equals(Extent.ZEROS)).forEach(Units::of);
    int count = in.readInt();
    List<StoredFile> files = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      files.add(new StoredFile(in.readUTF(), readExtents(in, sources)));
    }
    return new Manifest(settled, ancestors, files);
  }

  private static List<Extent> readExtents(DataInputStream in, List<String> sources)
      throws IOException {
    int count = in.readInt();
    List<Extent> extents = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      extents.add(new Extent(sources.get(in.readInt()), in.readLong(), in.readLong()));
    }
    return extents;
  }

  private static Map<String, Integer> sources(Manifest manifest) {
    Map<String, Integer> sources = new LinkedHashMap<>();
    for (StoredFile file : manifest.files()) {
      for (Extent extent : file.extents()) {
        sources.putIfAbsent(extent.source(), sources.size());
      }
    }
    return sources;
  }

  private static void writeNames(DataOutputStream out, List<String> names) throws IOException {
    out.writeInt(names.size());
    for (String name : names) {
      out.writeUTF(name);
    }
  }

  private static List<String> readNames(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(in.readUTF());
    }
    return names;
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
