package dev.atoll.engine.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class FairBudgetTest {
  private final FairBudget budget = new FairBudget(1200);

  private long takeAllOf(String project) {
    while (budget.take(project, 1)) {
      assertThat(budget.held()).isLessThanOrEqualTo(budget.total());
    }
    return budget.heldBy(project);
  }

  @Test
  void aProjectThatIsAloneGetsAHalf() {
    assertThat(takeAllOf("a")).isEqualTo(600);
    assertThat(budget.take("a", 1)).isFalse();
    assertThat(budget.take("a", 0)).isTrue();
  }

  @Test
  void oneAtItsShareDoesNotRefuseAnother() {
    takeAllOf("greedy");
    assertThat(budget.take("late", 200)).isTrue();
    assertThat(takeAllOf("late")).isEqualTo(300);
    budget.give("greedy", 300);
    assertThat(takeAllOf("late")).isEqualTo(450);
  }

  @Test
  void whoGivesBackAndTakesAgainEndsUpWithAnEqualShare() {
    takeAllOf("first");
    for (int i = 0; i < 5000; i++) {
      for (String project : List.of("first", "second")) {
        if (budget.heldBy(project) > 0) {
          budget.give(project, 1);
        }
      }
      budget.take("second", 1);
      budget.take("second", 1);
      budget.take("first", 1);
    }
    assertThat(budget.heldBy("first")).isBetween(395L, 405L);
    assertThat(budget.heldBy("second")).isBetween(395L, 405L);
  }

  @Test
  void nothingIsTakenWhereNotAllCanBe() {
    assertThat(budget.take("a", 601)).isFalse();
    assertThat(budget.held()).isZero();
    assertThat(budget.refusals()).isEqualTo(1);
  }

  @Test
  void moreIsNeverGivenBackThanWasTaken() {
    budget.take("a", 10);
    assertThatThrownBy(() -> budget.give("a", 11)).isInstanceOf(IllegalStateException.class);
    budget.give("a", 10);
    assertThat(budget.held()).isZero();
    assertThat(budget.heldBy("a")).isZero();
  }

  @Test
  void whatAMachineHoldsGoesToWhoeverTakesIt() {
    BudgetAccount account = new BudgetAccount(budget, BudgetAccount.NOBODY);
    account.take(100);
    account.belongTo("a");
    assertThat(budget.heldBy("a")).isEqualTo(100);
    assertThat(budget.heldBy(BudgetAccount.NOBODY)).isZero();
    account.giveAll();
    assertThat(budget.held()).isZero();
  }
}
