package dev.atoll.engine.quota;

import java.util.List;

/**
 * A place in the quotas of a project, kept for something until it counts by itself. Closed when it
 * does, or when nothing came of it.
 */
public final class Hold implements AutoCloseable {
  private final Account account;
  private List<Charge> charges;

  Hold(Account account, List<Charge> charges) {
    this.account = account;
    this.charges = List.copyOf(charges);
  }

  /** With the account's lock held. */
  List<Charge> charges() {
    return charges;
  }

  /** The one thing that it is for has another id. */
  public void become(String id) {
    account.lock.lock();
    try {
      charges = charges.stream().map(charge -> charge.as(id)).toList();
    } finally {
      account.lock.unlock();
    }
  }

  @Override
  public void close() {
    account.lock.lock();
    try {
      account.holds().remove(this);
    } finally {
      account.lock.unlock();
    }
  }
}
