package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupsTest {
  private static final CgroupLimits LIMITS = new CgroupLimits(1.5, 1 << 20, 100);

  @TempDir private Path root;
  private FakeCgroupTree tree;

  @BeforeEach
  void makeTree() {
    tree = new FakeCgroupTree(root);
  }

  @Test
  void version1HasATreeForEachController() throws IOException {
    version1().detect().create("m", LIMITS);

    assertThat(tree.read("memory/atoll/m/memory.limit_in_bytes")).isEqualTo("1048576");
    assertThat(tree.read("memory/atoll/m/memory.memsw.limit_in_bytes")).isEqualTo("1048576");
    assertThat(tree.read("cpu/atoll/m/cpu.cfs_period_us")).isEqualTo("100000");
    assertThat(tree.read("cpu/atoll/m/cpu.cfs_quota_us")).isEqualTo("150000");
    assertThat(tree.read("pids/atoll/m/pids.max")).isEqualTo("100");
  }

  @Test
  void weightsAreWrittenInTheUnitsOfEachVersion() throws IOException {
    version1().detect().create("m", LIMITS).weighCpu(0.25);
    assertThat(tree.read("cpu/atoll/m/cpu.shares")).isEqualTo("256");
    version1().detect().create("n", LIMITS).weighCpu(0.0001);
    assertThat(tree.read("cpu/atoll/n/cpu.shares")).isEqualTo("2");
    FakeCgroupTree other = new FakeCgroupTree(root.resolve("other"));
    other.mountVersion2("all", "memory", "cpu", "pids").detect().create("m", LIMITS).weighCpu(0.25);
    assertThat(other.read("all/atoll/m/cpu.weight")).isEqualTo("25");
  }

  @Test
  void version1CountsTimeInTheTreeOfCpuacct() throws IOException {
    Cgroup group = version1().detect().create("m", LIMITS);
    tree.write("cpuacct/atoll/m/cpuacct.usage", "5000000\n");

    assertThat(group.folders()).contains(root.resolve("cpuacct/atoll/m"));
    assertThat(group.cpuMicros()).isEqualTo(5000);
  }

  @Test
  void version1CountsMemoryThatCannotBeDropped() throws IOException {
    Cgroup group = version1().detect().create("m", LIMITS);
    tree.write("memory/atoll/m/memory.stat", "cache 900\nrss 100\nrss_huge 70\nshmem 20\n");
    tree.write(
        "memory/atoll/m/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");

    assertThat(group.memoryBytes()).isEqualTo(120);
    assertThat(group.memoryKills()).isEqualTo(3);
  }

  @Test
  void version1FreezesInATreeOfItsOwn() throws IOException {
    Cgroup group = version1().mountVersion1("freezer", "freezer").detect().create("m", LIMITS);
    assertThat(group.folders()).contains(root.resolve("freezer/atoll/m"));
    assertThat(group.canFreeze()).isTrue();

    group.freeze();
    assertThat(tree.read("freezer/atoll/m/freezer.state")).isEqualTo("FROZEN");
    group.thaw();
    assertThat(tree.read("freezer/atoll/m/freezer.state")).isEqualTo("THAWED");
  }

  @Test
  void version1WithoutAFreezerCannot() throws IOException {
    assertThat(version1().detect().create("m", LIMITS).canFreeze()).isFalse();
  }

  @Test
  void version2FreezesInTheSameTree() throws IOException {
    Cgroup group = tree.mountVersion2("all", "cpu", "memory", "pids").detect().create("m", LIMITS);
    tree.write("all/atoll/m/cgroup.events", "populated 1\nfrozen 1\n");

    group.freeze();
    assertThat(tree.read("all/atoll/m/cgroup.freeze")).isEqualTo("1");
    group.thaw();
    assertThat(tree.read("all/atoll/m/cgroup.freeze")).isEqualTo("0");
  }

  @Test
  void version1MayHaveCpuAndCpuacctInOneTree() throws IOException {
    tree.mountVersion1("memory", "memory").mountVersion1("pids", "pids");
    Cgroup group = tree.mountVersion1("cpu,cpuacct", "cpu", "cpuacct").detect().create("m", LIMITS);

    assertThat(group.folders()).hasSize(3);
  }

  @Test
  void version2HasOneTreeThatHandsControllersDown() throws IOException {
    Cgroup group = tree.mountVersion2("all", "cpu", "memory", "pids").detect().create("m", LIMITS);
    tree.write("all/atoll/m/memory.stat", "anon 100\nfile 900\nshmem 20\n");
    tree.write("all/atoll/m/cpu.stat", "usage_usec 77\nuser_usec 70\n");
    tree.write("all/atoll/m/memory.events", "oom 4\noom_kill 2\n");

    assertThat(group.folders()).containsExactly(root.resolve("all/atoll/m"));
    assertThat(tree.read("all/cgroup.subtree_control")).startsWith("+");
    assertThat(tree.read("all/atoll/cgroup.subtree_control")).startsWith("+");
    assertThat(tree.read("all/atoll/m/memory.max")).isEqualTo("1048576");
    assertThat(tree.read("all/atoll/m/memory.swap.max")).isEqualTo("0");
    assertThat(tree.read("all/atoll/m/memory.oom.group")).isEqualTo("1");
    assertThat(tree.read("all/atoll/m/cpu.max")).isEqualTo("150000 100000");
    assertThat(tree.read("all/atoll/m/pids.max")).isEqualTo("100");
    assertThat(group.memoryBytes()).isEqualTo(120);
    assertThat(group.cpuMicros()).isEqualTo(77);
    assertThat(group.memoryKills()).isEqualTo(2);
  }

  @Test
  void version2HandsNothingDownTwice() throws IOException {
    tree.mountVersion2("all", "cpu", "memory", "pids");
    tree.write("all/cgroup.subtree_control", "cpu memory pids\n");
    tree.detect().create("m", LIMITS);

    assertThat(tree.read("all/cgroup.subtree_control")).isEqualTo("cpu memory pids\n");
  }

  @Test
  void hybridHostsHaveControllersInBothKinds() throws IOException {
    Cgroups cgroups =
        tree.mountVersion1("memory", "memory").mountVersion2("unified", "cpu", "pids").detect();
    cgroups.create("m", LIMITS);

    assertThat(cgroups.describe()).isEqualTo("memory: version 1, cpu: version 2, pids: version 2");
    assertThat(tree.read("memory/atoll/m/memory.limit_in_bytes")).isEqualTo("1048576");
    assertThat(tree.read("unified/atoll/m/cpu.max")).isEqualTo("150000 100000");
  }

  @Test
  void hostWithoutAControllerIsRefused() throws IOException {
    tree.mountVersion2("all", "cpu", "memory");

    assertThatThrownBy(tree::detect)
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DRIVER_UNAVAILABLE))
        .hasMessageContaining("pids");
  }

  @Test
  void limitThatTheKernelDoesNotKeepIsAnError() {
    assertThatThrownBy(() -> ControlFile.limit(Path.of("/dev/null"), "100"))
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("100");
  }

  @Test
  void limitThatTheKernelDoesNotHaveIsAnError() {
    assertThatThrownBy(() -> ControlFile.limit(root.resolve("pids.max"), "100"))
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DRIVER_UNAVAILABLE));
  }

  @Test
  void namesAreFoundInEveryTree() throws IOException {
    Cgroups cgroups = version1().detect();
    cgroups.create("aa-1", LIMITS);
    Files.createDirectories(root.resolve("pids/atoll/aa-2"));
    cgroups.create("bb-3", LIMITS);

    assertThat(cgroups.names("aa-")).containsExactly("aa-1", "aa-2");
  }

  private FakeCgroupTree version1() throws IOException {
    return tree.mountVersion1("memory", "memory")
        .mountVersion1("cpu", "cpu")
        .mountVersion1("cpuacct", "cpuacct")
        .mountVersion1("pids", "pids")
        .mountVersion1("systemd", "name=systemd")
        .mountVersion2("unified");
  }
}
