package dev.atoll.bench;

import java.util.Arrays;

/** Measured values of one kind. */
final class Samples {
  private final double[] sorted;

  Samples(double... values) {
    sorted = values.clone();
    Arrays.sort(sorted);
  }

  double median() {
    return at(0.5);
  }

  double p99() {
    return at(0.99);
  }

  int count() {
    return sorted.length;
  }

  private double at(double quantile) {
    int index = (int) Math.ceil(quantile * sorted.length) - 1;
    return sorted[Math.clamp(index, 0, sorted.length - 1)];
  }
}
