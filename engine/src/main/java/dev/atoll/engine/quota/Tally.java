package dev.atoll.engine.quota;

import dev.atoll.model.QuotaName;
import dev.atoll.model.QuotaUser;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What takes up the quotas of one project, each thing once. */
final class Tally {
  private final Map<String, Charge> charges = new LinkedHashMap<>();

  Tally() {}

  Tally(Tally other) {
    charges.putAll(other.charges);
  }

  void add(Charge charge) {
    charges.merge(charge.id(), charge, Charge::and);
  }

  double used(QuotaName quota) {
    return charges.values().stream().mapToDouble(charge -> charge.of(quota)).sum();
  }

  private Stream<Charge> taking(QuotaName quota) {
    return charges.values().stream().filter(charge -> charge.of(quota) > 0);
  }

  /** The largest users, beginning with the largest. */
  List<QuotaUser> users(QuotaName quota, int most) {
    return taking(quota)
        .sorted(Comparator.comparingDouble((Charge charge) -> charge.of(quota)).reversed())
        .limit(most)
        .map(c -> new QuotaUser(c.kind(), c.id(), c.name(), rounded(c.of(quota))))
        .toList();
  }

  Map<String, Double> kinds(QuotaName quota) {
    Map<String, Double> kinds = new TreeMap<>();
    taking(quota).forEach(charge -> kinds.merge(charge.kind(), charge.of(quota), Double::sum));
    kinds.replaceAll((kind, amount) -> rounded(amount));
    return kinds;
  }

  /** Sums of tenths are not what one would write. */
  static double rounded(double amount) {
    return Math.round(amount * 1000) / 1000.0;
  }
}
