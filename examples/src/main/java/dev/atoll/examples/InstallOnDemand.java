package dev.atoll.examples;

import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.openai.OpenAiChatModel;
import dev.atoll.model.Installer;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.SandboxOptions;
import java.util.function.Consumer;

/**
 * Packages: the model installs what it misses, or a snapshot has it from the beginning. Registries
 * are the only network that a sandbox has by default.
 */
final class InstallOnDemand {
  static final String QUESTION = "Use the package %s to say hello.";

  private InstallOnDemand() {}

  static String answer(Atoll atoll, Model model, String name, Consumer<SandboxOptions> options) {
    return CodeAgent.builder(model)
        .sandboxes(atoll, options)
        .moreInstructions("If a package is missing, install it and go on.")
        .build()
        .run(QUESTION.formatted(name))
        .answer();
  }

  /** Installs once; every sandbox that starts from this has it. */
  static SnapshotInfo prepare(Atoll atoll, String name, Consumer<SandboxOptions> options) {
    try (Sandbox sandbox = atoll.sandboxes().create(options)) {
      sandbox.packages().install(Installer.PIP, name);
      return sandbox.snapshot();
    }
  }

  public static void main(String[] args) {
    Atoll atoll = Atoll.connect();
    Model model =
        OpenAiChatModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("OPENAI_API_KEY"));
    System.out.println(answer(atoll, model, "cowsay", s -> {}));
    SnapshotInfo prepared = prepare(atoll, "cowsay", s -> {});
    System.out.println(answer(atoll, model, "cowsay", s -> s.snapshot(prepared.id())));
  }
}
