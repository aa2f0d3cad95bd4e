package dev.atoll.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the modules of agents may use of ours. */
class AgentsArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.atoll.agents", "dev.atoll.examples");

  @ParameterizedTest
  @CsvSource({
    "dev.atoll.agents.tools, dev.atoll.sdk.. dev.atoll.model..",
    "dev.atoll.agents, dev.atoll.agents.tools dev.atoll.sdk.. dev.atoll.model..",
    "dev.atoll.agents.anthropic, dev.atoll.agents dev.atoll.agents.tools dev.atoll.model..",
    "dev.atoll.agents.openai, dev.atoll.agents dev.atoll.agents.tools dev.atoll.model..",
    "dev.atoll.agents.langchain4j, dev.atoll.agents.tools dev.atoll.sdk.. dev.atoll.model..",
    "dev.atoll.agents.springai, dev.atoll.agents.tools dev.atoll.sdk.. dev.atoll.model..",
    "dev.atoll.examples.scripted, dev.atoll.examples.scripted",
    "dev.atoll.examples.., dev.atoll.examples.. dev.atoll.agents.. dev.atoll.sdk.."
        + " dev.atoll.model.."
  })
  void modulesUseOnlyWhatTheyMay(String user, String used) {
    classes()
        .that()
        .resideInAPackage(user)
        .should()
        .onlyDependOnClassesThat(
            JavaClass.Predicates.resideInAnyPackage((user + " " + used).split(" ", -1))
                .or(JavaClass.Predicates.resideOutsideOfPackage("dev.atoll..")))
        .check(CLASSES);
  }

  /** Examples show the providers' own libraries; frameworks are for their adapters alone. */
  @ParameterizedTest
  @CsvSource({
    "com.anthropic.., dev.atoll.agents.anthropic dev.atoll.examples",
    "com.openai.., dev.atoll.agents.openai dev.atoll.examples",
    "dev.langchain4j.., dev.atoll.agents.langchain4j",
    "org.springframework.., dev.atoll.agents.springai"
  })
  void aLibraryIsUsedByItsAdapterAlone(String library, String users) {
    noClasses()
        .that()
        .resideOutsideOfPackages(users.split(" ", -1))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .check(CLASSES);
    // A rule about nothing would hold as well.
    assertThat(CLASSES.that(JavaClass.Predicates.resideInAPackage(users.split(" ", -1)[0])))
        .isNotEmpty();
  }
}
