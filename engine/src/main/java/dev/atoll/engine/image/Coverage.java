package dev.atoll.engine.image;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Which bytes of which sources some manifests refer to. */
final class Coverage {
  /** Per source: start to end of intervals that do not touch. */
  private final Map<String, NavigableMap<Long, Long>> intervals = new HashMap<>();

  /** Bytes from {@code start} to before {@code end}. */
  record Range(long start, long end) {
    long length() {
      return end - start;
    }
  }

  void add(Manifest manifest) {
    for (StoredFile file : manifest.files()) {
      for (Extent extent : file.extents()) {
        if (!extent.isZeros()) {
          add(extent);
        }
      }
    }
  }

  private void add(Extent extent) {
    NavigableMap<Long, Long> map =
        intervals.computeIfAbsent(extent.source(), source -> new TreeMap<>());
    long start = extent.offset();
    long end = extent.end();
    Map.Entry<Long, Long> left = map.floorEntry(end);
    while (left != null && left.getValue() >= start) {
      start = Math.min(start, left.getKey());
      end = Math.max(end, left.getValue());
      map.remove(left.getKey());
      left = map.floorEntry(end);
    }
    map.put(start, end);
  }

  /** The parts of a source between two offsets that nothing refers to. */
  List<Range> gaps(String source, long from, long to) {
    List<Range> gaps = new ArrayList<>();
    NavigableMap<Long, Long> map = intervals.getOrDefault(source, new TreeMap<>());
    long position = from;
    Map.Entry<Long, Long> before = map.floorEntry(from);
    if (before != null) {
      position = Math.max(position, before.getValue());
    }
    for (Map.Entry<Long, Long> next : map.subMap(from, false, to, false).entrySet()) {
      if (next.getKey() > position) {
        gaps.add(new Range(position, next.getKey()));
      }
      position = next.getValue();
    }
    if (position < to) {
      gaps.add(new Range(position, to));
    }
    return gaps;
  }

  /** How many bytes of a manifest this does not cover; a byte it refers to twice counts once. */
  long missing(Manifest manifest) {
    Coverage own = new Coverage();
    own.add(manifest);
    long bytes = 0;
    for (Map.Entry<String, NavigableMap<Long, Long>> source : own.intervals.entrySet()) {
      for (Map.Entry<Long, Long> interval : source.getValue().entrySet()) {
        for (Range gap : gaps(source.getKey(), interval.getKey(), interval.getValue())) {
          bytes += gap.length();
        }
      }
    }
    return bytes;
  }
}
