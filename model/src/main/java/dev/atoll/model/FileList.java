package dev.atoll.model;

import java.util.List;

/** The content of a directory; {@code truncated} when there was more than was asked for. */
public record FileList(List<FileEntry> entries, boolean truncated) {
  public FileList {
    entries = List.copyOf(entries);
  }
}
