package dev.atoll.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

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
}
