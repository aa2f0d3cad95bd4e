package dev.atoll.engine.packages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.engine.guest.NetworkTrouble;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import dev.atoll.model.PackageFailure;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lines are those that the managers themselves print. */
final class InstallOutputTest {

  private static RunEvent.Packages read(Installer manager, RunStatus status, String... lines) {
    return troubled(manager, status, null, lines);
  }

  private static RunEvent.Packages troubled(
      Installer manager, RunStatus status, @Nullable NetworkTrouble trouble, String... lines) {
    InstallOutput output = new InstallOutput(manager);
    for (String line : lines) {
      byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
      // In two pieces, as output may come.
      output.add(false, Arrays.copyOf(bytes, bytes.length / 2));
      output.add(false, Arrays.copyOfRange(bytes, bytes.length / 2, bytes.length));
    }
    return output.end(status, trouble);
  }

  private static PackageFailure failure(RunEvent.Packages packages) {
    return Objects.requireNonNull(packages.failure());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pip|Successfully installed pandas-2.3.3 python-dateutil-2.9.0.post0 tzdata-2025.2"
            + "|pandas 2.3.3, python-dateutil 2.9.0.post0, tzdata 2025.2",
        "pip|Successfully installed torch-2.6.0+cpu|torch 2.6.0+cpu",
        "pip|Requirement already satisfied: six in /usr/lib/python3/dist-packages (1.17.0)"
            + "|six 1.17.0",
        "pip|Requirement already satisfied: numpy>=1.26.0 in ./.local/lib (from pandas) (2.3.1)|",
        "npm|+ @types/node@22.1.0|@types/node 22.1.0",
        "apt|Setting up libjq1:amd64 (1.7.1-6+deb13u1) ...|libjq1 1.7.1-6+deb13u1",
        "apt|jq is already the newest version (1.7.1-6).|jq 1.7.1-6",
        "gem|Successfully installed net-http-0.4.1|net-http 0.4.1",
        "gem|Successfully installed nokogiri-1.18.1-x86_64-linux-gnu|nokogiri 1.18.1",
        "cargo|   Installed package `ripgrep v14.1.1` (executable `rg`)|ripgrep 14.1.1",
      })
  void whatWasInstalledIsListed(String manager, String line, @Nullable String expected) {
    List<InstalledPackage> installed =
        read(Installer.of(manager), RunStatus.OK, "noise", line, "more").installed();
    assertThat(installed.stream().map(p -> p.name() + " " + p.version()).toList())
        .isEqualTo(expected == null ? List.of() : Arrays.asList(expected.split(", ", -1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pip|ERROR: Could not find a version that satisfies the requirement nope (from versions: none)"
            + "|package_not_found|nope",
        "pip|ERROR: Could not find a version that satisfies the requirement six==99 (from versions: 1.0, 1.1)"
            + "|package_version_not_found|six",
        "pip|ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies."
            + "|package_conflict|a",
        "pip|ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.|package_corrupt|",
        "pip|ERROR: Failed building wheel for lxml|package_build_failed|lxml",
        "pip|error: command 'gcc' failed: No such file or directory|package_build_failed|",
        "pip|ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device|disk_limit|",
        "pip|ERROR: Could not install packages due to an OSError: [Errno 27] File too large|disk_limit|",
        "pip|ProxyError('Cannot connect', OSError('Tunnel connection failed: 403 Forbidden'))|registry_refused|",
        "pip|NewConnectionError('Failed to establish a new connection')|registry_unreachable|",
        "npm|npm error 404  'nope-nope@*' is not in this registry.|package_not_found|nope-nope",
        "npm|npm error notarget No matching version found for lodash@99.|package_version_not_found|lodash",
        "npm|npm error code ERESOLVE|package_conflict|",
        "npm|npm error code EINTEGRITY|package_corrupt|",
        "npm|npm error code ENOSPC|disk_limit|",
        "npm|npm error network request to http://x failed, reason: getaddrinfo EAI_AGAIN x|registry_unreachable|",
        "npm|npm: not found|command_not_found|",
        "apt|E: Unable to locate package nope|package_not_found|nope",
        "apt|E: Version '9' for 'jq' was not found|package_version_not_found|jq",
        "apt|E: Failed to fetch http://x  403  Forbidden|registry_refused|",
        "apt|E: You don't have enough free space in /var/cache/apt/archives/.|disk_limit|",
        "gem|ERROR:  Could not find a valid gem 'nope' (>= 0) in any repository|package_not_found|nope",
        "gem|ERROR:  Could not find a valid gem 'rake' (= 99) in any repository|package_version_not_found|rake",
        "gem|ERROR:  While executing gem ... (Gem::Net::HTTPFatalError)|registry_unreachable|",
        "gem|ERROR: Failed to build gem native extension.|package_build_failed|",
        "cargo|error: could not find `nope` in registry `crates-io` with version `*`"
            + "|package_not_found|nope",
        "cargo|error: could not find `rg` in registry `crates-io` with version `=99`"
            + "|package_version_not_found|rg",
        "cargo|error: linker `cc` not found|package_build_failed|",
        "cargo|error: there is nothing to install in `rot v0.1.1`, because it has no binaries"
            + "|package_failed|rot",
        "cargo|error: something else|package_failed|",
      })
  void whyItFailedIsTold(String manager, String line, String code, @Nullable String name) {
    PackageFailure failure =
        failure(read(Installer.of(manager), RunStatus.ERROR, "first", line, "last"));
    assertThat(failure.code()).isEqualTo(ErrorCode.of(code));
    assertThat(failure.name()).isEqualTo(name);
    assertThat(failure.log()).containsExactly("first", line, "last");
  }

  @Test
  void theStrongestSignCountsWhereverItStands() {
    PackageFailure failure =
        failure(
            read(
                Installer.PIP,
                RunStatus.ERROR,
                "WARNING: Retrying after connection broken by 'NewConnectionError(...)'",
                "ERROR: Could not find a version that satisfies the requirement x (from versions: none)"));
    assertThat(failure.code()).isEqualTo(ErrorCode.REGISTRY_UNREACHABLE);
  }

  @Test
  void whatTheNetworkRefusedExplainsWhatWasNotFound() {
    PackageFailure failure =
        failure(
            troubled(
                Installer.PIP,
                RunStatus.ERROR,
                new NetworkTrouble(
                    Instant.now(), ErrorCode.REGISTRY_REFUSED, "this sandbox has no network"),
                "ERROR: Could not find a version that satisfies the requirement x (from versions: none)"));
    assertThat(failure.code()).isEqualTo(ErrorCode.REGISTRY_REFUSED);
    assertThat(failure.name()).isEqualTo("x");
    assertThat(failure.message()).contains("this sandbox has no network");
  }

  @Test
  void howARunEndedGoesBeforeWhatItPrinted() {
    assertThat(failure(read(Installer.PIP, RunStatus.TIMEOUT)).code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(failure(read(Installer.PIP, RunStatus.DISK_LIMIT)).code())
        .isEqualTo(ErrorCode.DISK_LIMIT);
    assertThat(read(Installer.PIP, RunStatus.OK, "ERROR: Failed building wheel for x").failure())
        .isNull();
  }

  @Test
  void aHostileGuestCannotMakeItLarge() {
    String many = "Successfully installed" + " x-1".repeat(30_000);
    String[] lines = new String[20];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = many.replace(" x-", " x" + i + "-");
    }
    RunEvent.Packages packages = read(Installer.PIP, RunStatus.ERROR, lines);
    assertThat(packages.installed().size()).isLessThanOrEqualTo(4096);
    assertThat(failure(packages).log()).allMatch(line -> line.length() <= 401);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pip|pandas==2.3.3|pandas|2.3.3",
        "apt|libc6=2.41-12|libc6|2.41-12",
        "npm|/home/sandbox/node_modules/@types/node:@types/node@22.1.0:undefined|@types/node|22.1.0",
        "gem|json (default: 2.9.1)|json|2.9.1",
        "cargo|ripgrep v14.1.1:|ripgrep|14.1.1",
      })
  void listsAreRead(String manager, String line, String name, String version) {
    assertThat(PackageLists.parse(Installer.of(manager), "*** LOCAL ***\n" + line + "\n    rg\n"))
        .containsExactly(new InstalledPackage(name, version));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x.test:443 is not among the package registries; allow it with `atoll network allow b x.test`",
        "x.test:443 is 10.1.2.3, a private address, which no sandbox may reach unless"
            + " network.reachable names x.test",
        "x.test is denied by the rule x.test; the project's network ceiling has to be raised",
      })
  void whereTheMessageSaysWhatToDoNothingElseIsRecommended(String message) {
    NetworkTrouble trouble = new NetworkTrouble(Instant.now(), ErrorCode.REGISTRY_REFUSED, message);
    PackageFailure failure = failure(troubled(Installer.PIP, RunStatus.ERROR, trouble, "failed"));
    assertThat(failure.message()).contains(message);
    assertThat(failure.hint()).isNull();
  }

  @Test
  void theModeIsNotRecommendedToOneThatMayHaveIt() {
    PackageFailure failure =
        failure(read(Installer.NPM, RunStatus.ERROR, "npm error code E403", "npm error 403"));
    assertThat(failure.code()).isEqualTo(ErrorCode.REGISTRY_REFUSED);
    assertThat(failure.hint()).contains("atoll audit").doesNotContain("mode packages");
  }
}
