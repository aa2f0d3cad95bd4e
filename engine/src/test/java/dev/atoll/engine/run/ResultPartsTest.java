package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import org.junit.jupiter.api.Test;

class ResultPartsTest {
  private static final ByteString PART = ByteString.copyFrom(new byte[60_000]);

  private final BudgetAccount room = new BudgetAccount(new FairBudget(2 << 20), "project");
  private final ResultParts parts = new ResultParts(room);

  @Test
  void partsBecomeAWholeAndGiveTheirRoomBack() {
    parts.add(PART);
    parts.add(PART);
    assertThat(room.held()).isEqualTo(4L * PART.size());
    assertThat(parts.take()).hasSize(2 * PART.size());
    assertThat(parts.take()).isEmpty();
    assertThat(room.held()).isZero();
  }

  @Test
  void aResultWithoutAnEndTakesNoMoreThanThereIs() {
    for (int i = 0; i < 1000; i++) {
      parts.add(PART);
    }
    assertThat(room.held()).isLessThanOrEqualTo(1 << 20);
    assertThat(parts.take().length).isLessThan(1 << 20);
    assertThat(room.held()).isZero();
  }

  @Test
  void whatNobodyWantsGivesItsRoomBack() {
    parts.add(PART);
    parts.drop();
    assertThat(room.held()).isZero();
    assertThat(parts.take()).isEmpty();
  }
}
