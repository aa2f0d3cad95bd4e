package dev.atoll.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PoolKeeperTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final class FakeDemand implements PoolKeeper.Demand {
    volatile boolean busy;
    volatile boolean crowded;

    @Override
    public boolean isBusy() {
      return busy;
    }

    @Override
    public boolean isCrowded() {
      return crowded;
    }
  }

  /** Wants three machines, and counts how often it was refused one. */
  private static final class FakeStock implements PoolKeeper.Stock {
    final AtomicInteger made = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();

    @Override
    public void onTake(Runnable listener) {}

    @Override
    public void drop(String template) {}

    @Override
    public boolean tend(BooleanSupplier room) {
      if (made.get() == 3) {
        return false;
      }
      if (!room.getAsBoolean()) {
        refused.incrementAndGet();
        return false;
      }
      return made.incrementAndGet() < 3;
    }
  }

  private final FakeDemand demand = new FakeDemand();
  private final FakeStock stock = new FakeStock();
  private final PoolKeeper keeper = new PoolKeeper(demand, () -> Long.MAX_VALUE);

  @AfterEach
  void stop() {
    keeper.close();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(5);
    }
  }

  @Test
  void nothingIsMadeAheadWhileSomebodyMakesAMachineOfHisOwn() throws InterruptedException {
    demand.busy = true;
    demand.crowded = true;
    keeper.keep(stock);
    keeper.start();
    await(() -> stock.refused.get() > 3);
    assertThat(stock.made).hasValue(0);
    demand.crowded = false;
    demand.busy = false;
    await(() -> stock.made.get() == 3);
  }

  @Test
  void whoMakesMachinesAllTheTimeDoesNotKeepStocksEmpty() throws InterruptedException {
    demand.busy = true;
    keeper.keep(stock);
    keeper.start();
    await(() -> stock.made.get() == 3);
    assertThat(stock.refused.get()).isPositive();
  }
}
