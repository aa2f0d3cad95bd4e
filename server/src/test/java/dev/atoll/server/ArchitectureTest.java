package dev.atoll.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** The dependency rules of the design, over the classes of all modules that are here. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.atoll");

  @Test
  void modelKnowsNothingOfOurs() {
    check(mayOnlyUse("dev.atoll.model..", "dev.atoll.model.."));
  }

  @Test
  void protocolKnowsNothingOfOurs() {
    check(mayOnlyUse("dev.atoll.protocol..", "dev.atoll.protocol.."));
  }

  @Test
  void driversKnowTheirSpiModelAndProtocol() {
    check(
        mayOnlyUse(
            "dev.atoll.driver..",
            "dev.atoll.driver..",
            "dev.atoll.model..",
            "dev.atoll.protocol.."));
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.atoll.driver")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.atoll.driver.*.."));
  }

  @Test
  void engineKnowsNoHttpAndNoConcreteDriver() {
    check(
        mayOnlyUse(
            "dev.atoll.engine..",
            "dev.atoll.engine..",
            "dev.atoll.driver",
            "dev.atoll.model..",
            "dev.atoll.protocol.."));
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.atoll.engine..")
            .and()
            .resideOutsideOfPackage("dev.atoll.engine.inject")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "org.eclipse.jetty..", "jakarta.servlet..", "com.sun.net.httpserver.."));
  }

  /** Requests of guests are parsed where secrets are put into them, and nothing serves there. */
  @Test
  void secretsArePutIntoRequestsWithAParserAlone() {
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.atoll.engine.inject")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "org.eclipse.jetty.server..",
                "org.eclipse.jetty.io..",
                "jakarta.servlet..",
                "com.sun.net.httpserver.."));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("dev.atoll.engine.secret")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.bouncycastle.."));
  }

  @Test
  void sdkKnowsTheModelAlone() {
    check(mayOnlyUse("dev.atoll.sdk..", "dev.atoll.sdk..", "dev.atoll.model.."));
  }

  @Test
  void onlyDriversAndMainNameConcreteDrivers() {
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.atoll.server..")
            .and()
            .doNotHaveFullyQualifiedName("dev.atoll.server.Drivers")
            .and()
            .doNotHaveFullyQualifiedName("dev.atoll.server.Main")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.atoll.driver.*.."));
  }

  @Test
  void jettyStaysInTheHttpPackages() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage("dev.atoll.server", "dev.atoll.server.config..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.eclipse.jetty.."));
  }

  /**
   * The engine's packages implement interfaces of {@code dev.atoll.engine}, which is its API; that
   * one direction is not counted.
   */
  @Test
  void packagesHaveNoCycles() {
    check(
        slices()
            .matching("dev.atoll.(**)")
            .should()
            .beFreeOfCycles()
            .ignoreDependency(
                JavaClass.Predicates.resideInAPackage("dev.atoll.engine.*.."),
                JavaClass.Predicates.resideInAPackage("dev.atoll.engine")));
  }

  @Test
  void namesNameThings() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("dev.atoll.protocol.wire..")
            .should()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils")
            .orShould()
            .haveSimpleNameEndingWith("Helper")
            .orShould()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameEndingWith("Impl"));
  }

  private static ArchRule mayOnlyUse(String user, String... used) {
    DescribedPredicate<JavaClass> foreign =
        JavaClass.Predicates.resideOutsideOfPackage("dev.atoll..");
    return classes()
        .that()
        .resideInAPackage(user)
        .should()
        .onlyDependOnClassesThat(
            JavaClass.Predicates.resideInAnyPackage(used)
                .or(foreign)
                .as("are in %s or not ours", String.join(", ", used)));
  }

  /** A module whose classes are not there yet breaks no rule. */
  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(CLASSES);
  }
}
