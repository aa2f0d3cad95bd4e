package dev.atoll.engine;

import java.security.SecureRandom;

/** Makes ids that nobody can guess: a prefix that tells the kind, and 67 random bits. */
public final class Ids {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Ids() {}

  static String sandbox() {
    return next("sbx_");
  }

  static String snapshot() {
    return next("snp_");
  }

  static String pool() {
    return next("pool_");
  }

  /** A machine that carries on a sandbox that had another one before. */
  static String machine() {
    return next("mch_");
  }

  /** Where the memory of a hibernated sandbox is. */
  static String image() {
    return next("hib_");
  }

  /** A build of a template. */
  static String build() {
    return next("bld_");
  }

  /** A service; the part after the prefix also tells its sandboxes apart. */
  public static String service() {
    return next("svc_");
  }

  static String share() {
    return next("shr_");
  }

  /** A line of the record of connections. */
  static String connection() {
    return next("con_");
  }

  private static String next(String prefix) {
    return prefix
        + Long.toString(RANDOM.nextLong() >>> 1, 36)
        + Integer.toString(RANDOM.nextInt(36), 36);
  }
}
