package dev.atoll.engine.quota;

import dev.atoll.engine.net.TokenBucket;
import dev.atoll.engine.store.QuotaRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.QuotaInfo;
import dev.atoll.model.QuotaLimits;
import dev.atoll.model.QuotaName;
import dev.atoll.model.QuotaUsage;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of all projects.
 *
 * <p>What is used is not kept here: whoever has something of a project counts it when asked. Only
 * what is on its way is held here, under the id that it will have, so that it takes its place
 * before it exists and is not counted twice when it does. A server that starts again therefore
 * counts the same. Thread-safe; of several who want the last place one gets it.
 */
public final class Quotas {
  private static final int SHOWN = 10;
  private static final double NOTHING = 1e-9;

  private final QuotaLimits standard;
  private final QuotaRows rows;
  private final List<Counting> counting = new CopyOnWriteArrayList<>();
  private final Map<String, Account> accounts = new ConcurrentHashMap<>();
  private final Map<QuotaName, LongAdder> refusals;

  /** Knows things of projects. Asked often, also while things are made; must not block. */
  public interface Source {
    Stream<Charge> of(String project);
  }

  private record Counting(Set<QuotaName> quotas, Source source) {}

  /**
   * @param standard what holds for projects of which nothing else is said
   */
  public Quotas(QuotaLimits standard, QuotaRows rows) {
    this.standard = standard;
    this.rows = rows;
    Map<QuotaName, LongAdder> none = new EnumMap<>(QuotaName.class);
    Arrays.stream(QuotaName.values()).forEach(quota -> none.put(quota, new LongAdder()));
    this.refusals = Collections.unmodifiableMap(none);
  }

  /** Says who knows what takes up these quotas. */
  public void count(Set<QuotaName> quotas, Source source) {
    counting.add(new Counting(EnumSet.copyOf(quotas), source));
  }

  private Account account(String project) {
    return accounts.computeIfAbsent(
        project, name -> new Account(standard, rows.of(name).orElse(QuotaLimits.unset())));
  }

  /**
   * Keeps places for all of these, or none. Only a quota of which they take more than before can
   * refuse them.
   *
   * @throws AtollException {@link dev.atoll.model.ErrorCode#QUOTA_EXCEEDED} with what takes it up
   */
  public Hold hold(String project, List<Charge> wanted) {
    Account account = account(project);
    account.lock.lock();
    try {
      require(project, account, wanted);
      Hold hold = new Hold(account, wanted);
      account.holds().add(hold);
      return hold;
    } finally {
      account.lock.unlock();
    }
  }

  public Hold hold(String project, Charge wanted) {
    return hold(project, List.of(wanted));
  }

  /** The same for what is not needed: null when there is no place, and nobody is told. */
  public @Nullable Hold holdIfFree(String project, Charge wanted) {
    Account account = account(project);
    account.lock.lock();
    try {
      if (missing(project, account, List.of(wanted)) != null) {
        return null;
      }
      Hold hold = new Hold(account, List.of(wanted));
      account.holds().add(hold);
      return hold;
    } finally {
      account.lock.unlock();
    }
  }

  private void require(String project, Account account, List<Charge> wanted) {
    Shortage shortage = missing(project, account, wanted);
    if (shortage != null) {
      refused(shortage.quota());
      throw Refusal.of(
          project, shortage.quota(), shortage.limit(), shortage.now(), shortage.wanted());
    }
  }

  private record Shortage(QuotaName quota, double limit, Tally now, double wanted) {}

  private @Nullable Shortage missing(String project, Account account, List<Charge> wanted) {
    Set<QuotaName> limited = EnumSet.noneOf(QuotaName.class);
    for (Charge charge : wanted) {
      limited.addAll(charge.amounts().keySet());
    }
    limited.removeIf(quota -> account.limit(quota) == null);
    if (limited.isEmpty()) {
      return null;
    }
    Tally now = tally(project, account, limited);
    Tally then = new Tally(now);
    wanted.forEach(then::add);
    for (QuotaName quota : limited) {
      double limit = Objects.requireNonNull(account.limit(quota));
      double more = then.used(quota) - now.used(quota);
      if (then.used(quota) > limit + NOTHING && more > NOTHING) {
        return new Shortage(quota, limit, now, more);
      }
    }
    return null;
  }

  private Tally tally(String project, Account account, Set<QuotaName> of) {
    Tally tally = new Tally();
    for (Counting one : counting) {
      if (!Collections.disjoint(one.quotas(), of)) {
        one.source().of(project).forEach(tally::add);
      }
    }
    account.holds().forEach(hold -> hold.charges().forEach(tally::add));
    return tally;
  }

  /**
   * Lets a request through.
   *
   * @throws AtollException {@link dev.atoll.model.ErrorCode#QUOTA_EXCEEDED} with when to try again
   */
  public void admit(String project) {
    Account account = account(project);
    TokenBucket requests = account.requests();
    if (requests == null || requests.tryTake(1)) {
      return;
    }
    refused(QuotaName.REQUESTS_PER_SECOND);
    Double limit = account.limit(QuotaName.REQUESTS_PER_SECOND);
    throw Refusal.tooFast(project, limit == null ? 0 : limit, requests.until(1));
  }

  private void refused(QuotaName quota) {
    Objects.requireNonNull(refusals.get(quota)).increment();
  }

  /** How often a quota has refused something since the server started, for all projects. */
  public long refusals(QuotaName quota) {
    return Objects.requireNonNull(refusals.get(quota)).sum();
  }

  /** What a project may have and what it has. */
  public QuotaInfo info(String project) {
    Account account = account(project);
    Tally now;
    account.lock.lock();
    try {
      now = tally(project, account, EnumSet.allOf(QuotaName.class));
    } finally {
      account.lock.unlock();
    }
    QuotaLimits own = account.own();
    return new QuotaInfo(
        project,
        own,
        Arrays.stream(QuotaName.values())
            .map(
                quota ->
                    new QuotaUsage(
                        quota,
                        account.limit(quota),
                        own.of(quota) != null,
                        used(account, now, quota),
                        now.kinds(quota),
                        now.users(quota, SHOWN)))
            .toList());
  }

  private static double used(Account account, Tally now, QuotaName quota) {
    TokenBucket requests = account.requests();
    return Tally.rounded(
        quota == QuotaName.REQUESTS_PER_SECOND && requests != null
            ? requests.taken()
            : now.used(quota));
  }

  /** The same for every project that is known. */
  public List<QuotaInfo> all() {
    return rows.projects().stream().map(this::info).toList();
  }

  /** The projects that have limits of their own. */
  public Set<String> limited() {
    return Set.copyOf(rows.limited());
  }

  /** Sets the limits of a project; what it has already stays, whatever they are. */
  public synchronized QuotaInfo set(String project, QuotaLimits limits) {
    rows.set(project, limits);
    account(project).own(limits);
    return info(project);
  }

  /** Lets the server's settings hold for a project again. */
  public synchronized QuotaInfo clear(String project) {
    rows.remove(project);
    account(project).own(QuotaLimits.unset());
    return info(project);
  }
}
