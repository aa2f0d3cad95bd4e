package dev.atoll.kernel;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** The generators inside the JDK that restores of one checkpoint would share. */
final class Randomness {
  private Randomness() {}

  static void reseed(byte[] seed) {
    ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(seed, 24));
    long own = ProcessHandle.current().pid();
    try {
      // Each kernel of a guest draws numbers of its own. Code runs on new threads, which start from the seeder.
      field(Class.forName("java.lang.Math$RandomNumberGeneratorHolder"), "randomNumberGenerator", Random.class)
          .setSeed(bytes.getLong() ^ own);
      field(ThreadLocalRandom.class, "seeder", AtomicLong.class).set(bytes.getLong() ^ own);
      field(Random.class, "seedUniquifier", AtomicLong.class).set(bytes.getLong() ^ own | 1);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JDK keeps its generators elsewhere", e);
    }
  }

  private static <T> T field(Class<?> owner, String name, Class<T> type)
      throws ReflectiveOperationException {
    Field field = owner.getDeclaredField(name);
    field.setAccessible(true);
    return type.cast(field.get(null));
  }
}
