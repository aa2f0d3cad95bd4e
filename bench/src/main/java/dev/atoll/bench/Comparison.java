package dev.atoll.bench;

/**
 * One line of the report: Atoll beside the bare runsc.
 *
 * @param bar what it should be, in words; empty when there is none
 */
record Comparison(String name, String unit, Samples atoll, Samples raw, String bar) {
  double ratio() {
    return raw.median() == 0 ? 0 : atoll.median() / raw.median();
  }
}
