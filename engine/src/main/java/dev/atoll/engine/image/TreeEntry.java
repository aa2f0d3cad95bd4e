package dev.atoll.engine.image;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * One file, directory or link of a tree, without its content.
 *
 * @param path the names from the root on, in the encoding of {@link RawName}, separated by slashes;
 *     empty for the root itself
 * @param size of a regular file, otherwise 0
 * @param target of a symbolic link, or the path of the entry that a hard link is the same file as;
 *     otherwise empty
 */
record TreeEntry(
    Kind kind,
    String path,
    int mode,
    int uid,
    int gid,
    Instant modified,
    long size,
    String target) {
  /** The kinds that are carried. Everything else in a tree is left out by {@link TreeWalk}. */
  enum Kind {
    DIRECTORY(0),
    FILE(1),
    SYMBOLIC_LINK(2),
    HARD_LINK(3);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw Archive.invalid("a file of the unknown kind " + code);
    }
  }

  /** Users and groups have numbers that fit into the jails in which trees are unpacked and used. */
  static final int MOST_OWNER = 65535;

  private static final int PERMISSIONS = 07777;

  TreeEntry {
    if ((mode & ~PERMISSIONS) != 0 || uid < 0 || gid < 0 || size < 0) {
      throw Archive.invalid("impossible attributes of " + path);
    }
    if (size != 0 && kind != Kind.FILE) {
      throw Archive.invalid("content of " + path + ", which is no file");
    }
  }

  void write(DataOutputStream out) throws IOException {
    out.writeByte(kind.code);
    Archive.writeText(out, path);
    out.writeShort(mode);
    out.writeInt(uid);
    out.writeInt(gid);
    out.writeLong(modified.getEpochSecond());
    out.writeInt(modified.getNano());
    out.writeLong(size);
    Archive.writeText(out, target);
  }

  /** Reads what follows the byte of the kind. */
  static TreeEntry read(int kind, DataInputStream in) throws IOException {
    Kind known = Kind.of(kind);
    String path = Archive.readText(in);
    int mode = in.readUnsignedShort();
    int uid = in.readInt();
    int gid = in.readInt();
    Instant modified = instant(in.readLong(), in.readInt());
    return new TreeEntry(
        known, path, mode, uid, gid, modified, in.readLong(), Archive.readText(in));
  }

  private static Instant instant(long seconds, int nanos) {
    try {
      return Instant.ofEpochSecond(seconds, nanos);
    } catch (DateTimeException | ArithmeticException e) {
      throw Archive.invalid("a time of " + seconds + " seconds");
    }
  }
}
