package dev.atoll.engine.program;

import dev.atoll.engine.Run;
import dev.atoll.engine.SandboxFiles;
import dev.atoll.engine.Sandboxes;
import dev.atoll.engine.WriteOptions;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import dev.atoll.engine.run.Bounds;
import dev.atoll.engine.template.ProgramRecipe;
import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.Compilation;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A folder in a sandbox in which one program is made and run. */
final class Workplace {
  /** What the guest needs to tell of an end that it has made itself. */
  private static final Duration GRACE = Duration.ofSeconds(15);

  private static final long COMPILER_OUTPUT = 64 << 10;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Sandboxes sandboxes;
  private final String project;
  private final String sandbox;
  private final ProgramRecipe recipe;

  /** Its name cannot be guessed by what runs in the sandbox already. */
  private final String folder = ".atoll/" + Long.toString(RANDOM.nextLong() >>> 1, 36);

  Workplace(Sandboxes sandboxes, String project, String sandbox, ProgramRecipe recipe) {
    this.sandboxes = sandboxes;
    this.project = project;
    this.sandbox = sandbox;
    this.recipe = recipe;
  }

  /** Stores the code and the files beside it. */
  void fill(String code, @Nullable Map<String, String> files) {
    SandboxFiles guest = sandboxes.files(project, sandbox);
    if (files != null) {
      files.forEach((path, content) -> write(guest, path, content));
    }
    write(guest, recipe.file(), code);
  }

  private void write(SandboxFiles guest, String path, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    guest.write(
        folder + "/" + path, new ByteArrayInputStream(bytes), new WriteOptions(0, true, false));
  }

  /** Makes the program; null when there is nothing to make. */
  @Nullable Compilation compile(Duration timeout, Map<String, String> env) {
    String line = recipe.compile();
    if (line == null) {
      return null;
    }
    BudgetAccount memory = new BudgetAccount(FairBudget.HEAP, project);
    try {
      return compile(line, timeout, env, new Output(COMPILER_OUTPUT, true, memory));
    } finally {
      memory.giveAll();
    }
  }

  /** The project that pays for what the server holds of it. */
  String project() {
    return project;
  }

  private Compilation compile(
      String line, Duration timeout, Map<String, String> env, Output output) {
    Bounds bounds = new Bounds(Duration.ZERO, timeout, 0, 0);
    Run run = start(CommandLine.argv(line, List.of()), env, null, bounds, COMPILER_OUTPUT);
    RunEvent.End end = run.follow(output::add);
    return new Compilation(
        end.status() == RunStatus.OK,
        end.exitCode(),
        new String(output.stdout(), StandardCharsets.UTF_8),
        end.durationMillis(),
        end.cpuMillis(),
        end.maxRssBytes(),
        end.message());
  }

  /** Starts the program. */
  Run run(
      List<String> arguments,
      Map<String, String> env,
      @Nullable String stdin,
      Bounds bounds,
      long maxOutput) {
    return start(CommandLine.argv(recipe.run(), arguments), env, stdin, bounds, maxOutput);
  }

  private Run start(
      List<String> argv,
      Map<String, String> env,
      @Nullable String stdin,
      Bounds bounds,
      long maxOutput) {
    Map<String, String> variables = new HashMap<>(recipe.env());
    variables.putAll(env);
    double patience = bounds.wall().plus(GRACE).toMillis() / 1000.0;
    CommandRequest request =
        new CommandRequest(
            argv, null, folder, variables, null, stdin, null, null, patience, maxOutput, null);
    return sandboxes.runBounded(project, sandbox, request, bounds);
  }

  /** Removes the folder. */
  void clear() {
    try {
      sandboxes.files(project, sandbox).remove(folder, true);
    } catch (AtollException e) {
      // The sandbox has ended, and the folder with it; or somebody in it was faster.
    }
  }
}
