package dev.atoll.engine.image;

/**
 * Which paths one layer has brought, and the directories that they are in. Kept are 64 bits of
 * each: a layer may have millions. Two paths with the same ones would make a layer lose or keep a
 * file of its own template.
 */
final class TouchedPaths {
  private static final long SEED = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private long[] slots = new long[1 << 10];
  private int count;

  void add(String path) {
    long hash = SEED;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '/') {
        insert(finished(hash));
      }
      hash = (hash ^ c) * PRIME;
    }
    insert(finished(hash));
  }

  boolean contains(String path) {
    long hash = SEED;
    for (int i = 0; i < path.length(); i++) {
      hash = (hash ^ path.charAt(i)) * PRIME;
    }
    return slots[slot(finished(hash))] != 0;
  }

  private static long finished(long hash) {
    long mixed = (hash ^ (hash >>> 32)) * PRIME;
    return mixed == 0 ? 1 : mixed;
  }

  private int slot(long hash) {
    int slot = (int) (hash ^ (hash >>> 29)) & (slots.length - 1);
    while (slots[slot] != 0 && slots[slot] != hash) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void insert(long hash) {
    int slot = slot(hash);
    if (slots[slot] != 0) {
      return;
    }
    slots[slot] = hash;
    if (++count > slots.length / 2) {
      long[] old = slots;
      slots = new long[old.length * 2];
      for (long one : old) {
        if (one != 0) {
          slots[slot(one)] = one;
        }
      }
    }
  }
}
