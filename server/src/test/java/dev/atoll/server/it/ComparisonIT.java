package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.atoll.engine.diff.Comparison;
import dev.atoll.engine.diff.Side;
import dev.atoll.model.AtollException;
import dev.atoll.model.Change;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileDifference;
import dev.atoll.model.FileKind;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.StateDiff;
import dev.atoll.model.VariableDifference;
import dev.atoll.server.it.RealMachines.Live;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What differs between two forks of one guest. */
class ComparisonIT {
  @TempDir private static Path folder;
  private static RealMachines machines;
  private static Live parent;
  private static Live child;

  @BeforeAll
  static void fork() throws IOException {
    machines = new RealMachines(folder, RealMachines.python());
    parent = machines.create();
    parent.python(
        """
        import os, sys, threading
        common = list(range(1000))
        number = 1
        gone = 'soon'
        box = {'a': {1, 2}}
        lock = threading.Lock()
        big = bytes(100_000_000)
        me = []
        me.append(me)
        class Point:
            x = 1
        point = Point()
        def half(n):
            return n / 2
        with open('text.txt', 'w') as f:
            f.write(''.join(f'line {i}\\n' for i in range(20)))
        open('same', 'w').write('same')
        open('removed', 'w').write('removed')
        os.mkdir('folder')
        """);
    parent.python("side", "here = 1");
    child = machines.fork(parent);
  }

  @AfterAll
  static void end() {
    machines.close();
  }

  private static StateDiff compare() {
    return Comparison.between(side("from", parent), side("to", child));
  }

  private static Side side(String id, Live live) {
    return new Side(id, live.guest(), live.runs());
  }

  @Test
  void relativesDifferInWhatTheyDidSinceAndInNothingElse() {
    assertThat(compare()).isEqualTo(new StateDiff("from", "to", List.of(), List.of(), false));

    String last = "'the last result'";
    parent.python(last);
    child.python(last);
    child.python(
        """
        number = 2
        del gone
        new = 'x' * 1000
        box['b'] = 1
        point.y = 5
        def half(n):
            return n // 2
        lines = open('text.txt').read().replace('line 7\\n', 'line seven\\n')
        with open('text.txt', 'w') as f:
            f.write(lines)
        del lines, f
        os.utime('same')
        os.remove('removed')
        os.chmod('folder', 0o700)
        os.symlink('text.txt', 'link')
        open(b'odd\\n\\xff', 'w').close()
        """);
    parent.python("import os\nbox = {'a': {2, 1}}\ndel f");

    StateDiff diff = compare();

    assertThat(diff.truncated()).isFalse();
    assertThat(diff.files())
        .extracting(FileDifference::path, FileDifference::change, FileDifference::kind)
        .containsExactly(
            tuple("/home/sandbox/folder", Change.CHANGED, FileKind.DIRECTORY),
            tuple("/home/sandbox/link", Change.ADDED, FileKind.SYMLINK),
            tuple("/home/sandbox/odd\ufffd\ufffd", Change.ADDED, FileKind.FILE),
            tuple("/home/sandbox/removed", Change.REMOVED, FileKind.FILE),
            tuple("/home/sandbox/text.txt", Change.CHANGED, FileKind.FILE));
    assertThat(diff.files().getLast().unified())
        .startsWith("--- /home/sandbox/text.txt\n+++ /home/sandbox/text.txt\n@@ -5,7 +5,7 @@\n")
        .contains("-line 7\n+line seven\n");
    assertThat(diff.variables())
        .extracting(VariableDifference::name, VariableDifference::change)
        .containsExactly(
            tuple("box", Change.CHANGED),
            tuple("gone", Change.REMOVED),
            tuple("half", Change.CHANGED),
            tuple("new", Change.ADDED),
            tuple("number", Change.CHANGED),
            tuple("point", Change.CHANGED));
    assertThat(diff.variables().get(4))
        .isEqualTo(new VariableDifference("default", "number", Change.CHANGED, "1", "2"));
    assertThat(diff.variables().get(3).to()).hasSize(200).startsWith("(1000) 'xxx");
    assertLeftAlone(last);
  }

  /** The next run finds everything as it was before the comparison. */
  private static void assertLeftAlone(String last) {
    assertThat(parent.python("_").text()).hasValue(last);
    assertThat(parent.python("[n for n in globals() if 'atoll' in n]").text()).hasValue("[]");
    assertThat(parent.python("1 / 0").error()).isNotNull();
    assertThat(parent.runs().isBusy()).isFalse();
    assertThat(parent.runs().processes()).isEmpty();
  }

  @Test
  void aContextThatOneSideHasNotCountsAsEmpty() {
    child.runs().deleteContext("side");

    assertThat(compare().variables())
        .filteredOn(difference -> difference.context().equals("side"))
        .containsExactly(new VariableDifference("side", "here", Change.REMOVED, "1", null));
  }

  @Test
  void aBusyContextIsToldOf() {
    var run = child.runs().runCode(RunCodeRequest.python("import time; time.sleep(60)"), Map.of());
    try {
      assertThatThrownBy(ComparisonIT::compare)
          .isInstanceOfSatisfying(
              AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    } finally {
      run.cancel();
      run.result();
    }
  }
}
