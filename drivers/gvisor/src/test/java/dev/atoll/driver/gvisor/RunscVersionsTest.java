package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunscVersionsTest {
  private static final String OLD = "0.0~20240729.0";
  private static final String NEW = "20260905";

  @TempDir private Path root;
  private Path installed;
  private Path kept;

  @BeforeEach
  void name() {
    installed = root.resolve("bin/runsc");
    kept = root.resolve("kept");
  }

  private static void install(Path place, String version) throws IOException {
    Files.createDirectories(place.getParent());
    Path aside = place.resolveSibling("new");
    Files.writeString(aside, "#!/bin/sh\necho runsc version " + version + "\n");
    Files.setPosixFilePermissions(aside, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.move(aside, place, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }

  private RunscVersions versions() {
    return new RunscVersions(
        GvisorConfig.of(installed, Path.of("/keeper"), Path.of("/jailer"), Path.of("/agent"))
            .keeping(kept));
  }

  @Test
  void statesOfTheOneBeforeAnUpgradeInPlaceStillFindIt() throws IOException {
    install(installed, OLD);
    RunscVersions before = versions();
    assertThat(before.current()).isEqualTo(new RunscProgram(OLD, kept.resolve(OLD + "/runsc")));

    install(installed, NEW);
    assertThat(before.require(OLD).path()).isExecutable();
    RunscVersions after = versions();
    assertThat(after.current().version()).isEqualTo(NEW);
    assertThat(after.require(OLD).path()).isEqualTo(kept.resolve(OLD + "/runsc"));
    assertThat(after.earlier()).containsExactly(OLD);
  }

  @Test
  void oneThatNothingNeedsGoesAndTheOthersStay() throws IOException {
    install(installed, OLD);
    versions().current();
    install(installed, NEW);

    assertThat(versions().retire(Set.of(OLD))).isEmpty();
    assertThat(versions().retire(Set.of())).hasSize(1);
    assertThat(kept).isDirectoryContaining(path -> path.endsWith(NEW));
    assertThat(kept.resolve(OLD)).doesNotExist();
  }

  @Test
  void nothingGoesWhileTheConfiguredOneIsBroken() throws IOException {
    install(installed, OLD);
    versions().current();
    Files.delete(installed);

    assertThat(versions().retire(Set.of())).isEmpty();
    assertThat(kept.resolve(OLD)).exists();
  }

  @Test
  void aMissingOneIsNamedWithThePlaceWhereItBelongs() throws IOException {
    install(installed, NEW);

    assertThatThrownBy(() -> versions().require(OLD))
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_INCOMPATIBLE);
              assertThat(e.hint()).contains(kept.resolve(OLD + "/runsc").toString());
            });
  }

  @Test
  void aProgramThatIsNotWhatItsFolderSaysIsNotUsed() throws IOException {
    install(installed, NEW);
    install(kept.resolve(OLD + "/runsc"), "20250101");

    assertThatThrownBy(() -> versions().require(OLD)).isInstanceOf(AtollException.class);
  }

  @Test
  void aVersionIsNoPath() throws IOException {
    install(installed, NEW);
    install(root.resolve("elsewhere/runsc"), "../elsewhere");

    assertThatThrownBy(() -> versions().require("../elsewhere")).isInstanceOf(AtollException.class);
    assertThatThrownBy(() -> versions().require("..")).isInstanceOf(AtollException.class);
  }
}
