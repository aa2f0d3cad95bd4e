package dev.atoll.server.it;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.driver.gvisor.GvisorConfig;
import dev.atoll.driver.gvisor.GvisorDriver;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.image.Unpacker;
import dev.atoll.engine.jail.Jailer;
import dev.atoll.engine.oci.ImagePuller;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.engine.run.Runs;
import dev.atoll.engine.template.BuildPlan;
import dev.atoll.engine.template.BuildScope;
import dev.atoll.engine.template.Grounds;
import dev.atoll.engine.template.Recipe;
import dev.atoll.engine.template.TemplateBuilder;
import dev.atoll.engine.template.TemplateBuilder.Template;
import dev.atoll.engine.template.TemplateSettings;
import dev.atoll.engine.template.Workshop;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunResult;
import dev.atoll.protocol.wire.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Guests in gVisor without a server, for tests of what the engine does with them. The template is
 * kept between runs of the tests.
 */
final class RealMachines implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final MachineLimits LIMITS = new MachineLimits(2, 1L << 30, 2L << 30, 256);

  private final Path folder;
  private final GvisorDriver driver;
  private final Template template;
  private final Deadlines deadlines = new Deadlines();
  private final List<Machine> machines = new ArrayList<>();
  private int number;

  /** A running guest. */
  record Live(Machine machine, Guest guest, Runs runs) {
    RunResult python(String code) {
      return runs.runCode(RunCodeRequest.python(code), Map.of()).result();
    }

    RunResult python(String context, String code) {
      return runs.runCode(new RunCodeRequest(code, null, context, null, null, null), Map.of())
          .result();
    }

    RunResult shell(String user, String command) {
      return runs.start(
              new CommandRequest(
                  null, command, null, null, user, null, null, null, null, null, null),
              false)
          .result();
    }
  }

  /**
   * Finds runsc and builds the template.
   *
   * @param folder for machines and checkpoints
   * @param recipe what the template is made of
   */
  RealMachines(Path folder, Recipe recipe) throws IOException {
    this.folder = folder;
    Path runsc = Path.of(System.getenv().getOrDefault("ATOLL_RUNSC", "/usr/bin/runsc"));
    if (!Files.isExecutable(runsc)) {
      throw new IllegalStateException("these tests need runsc: set ATOLL_RUNSC to its path");
    }
    driver =
        new GvisorDriver(
            GvisorConfig.of(
                runsc, program("atoll-keeper"), program("atoll-jailer"), program("atoll-agent")));
    // It is built where all find it, which is why nobody else may put something there.
    try (Turn _ = Turn.of("template-" + recipe.name());
        Turn _ = Turn.of("templates")) {
      template =
          new TemplateBuilder(TestHome.shared().resolve("templates"), workshop(), grounds())
              .build(BuildPlan.of(recipe, null), driver, new BuildScope("", event -> {}));
    }
  }

  /** Templates of these tests have no setup, which would want a network. */
  private Workshop workshop() {
    return new Workshop(
        folder,
        (machine, project, policy, rootfs) -> {
          throw new UnsupportedOperationException();
        },
        deadlines,
        RunSettings.defaults(),
        TemplateSettings.defaults(),
        Map.of());
  }

  private Grounds grounds() {
    Jailer jailer = Jailer.install(folder.resolve("bin"));
    Unpacker unpacker = new Unpacker(jailer);
    ImagePuller.Proxies none =
        () -> {
          throw new UnsupportedOperationException();
        };
    return new Grounds(
        new ImagePuller(none, Set.of(), 1L << 30, unpacker),
        none,
        (project, secret, registry) -> {
          throw new UnsupportedOperationException();
        },
        jailer,
        unpacker,
        1L << 30);
  }

  /** The recipe of the usual template. */
  static Recipe python() {
    return Recipe.read(Path.of("../templates/python.yaml"));
  }

  private Path program(String name) throws IOException {
    Path file = folder.resolve(name);
    try (InputStream in = RealMachines.class.getResourceAsStream("/dev/atoll/guest/" + name)) {
      if (in == null) {
        throw new IOException(name + " is not on the class path: build the module guest first");
      }
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
    }
    if (!file.toFile().setExecutable(true, false)) {
      throw new IOException("cannot make " + file + " executable");
    }
    return file;
  }

  Path rootfs() {
    return template.rootfs();
  }

  /** A fresh guest of the template. */
  Live create() throws IOException {
    return restore(template.checkpoint());
  }

  /** A relative with the same files, processes and variables. */
  Live fork(Live parent) throws IOException {
    parent.guest().quiesce(DEADLINE);
    Checkpoint checkpoint =
        parent.machine().checkpoint(folder.resolve("checkpoint-" + number), true);
    parent.guest().thaw(Guest.thaw(false, "parent", Map.of(), limits()), DEADLINE);
    return restore(checkpoint);
  }

  private Live restore(Checkpoint checkpoint) throws IOException {
    String id = "it-state-" + Long.toString(System.nanoTime(), 36) + "-" + number++;
    Path directory = Files.createDirectory(folder.resolve(id));
    MachineSpec spec = new MachineSpec(id, directory, template.rootfs(), LIMITS);
    Machine machine = driver.restore(checkpoint, spec);
    machines.add(machine);
    Guest guest = new Guest(machine.stream(), loss -> {});
    Runs runs = new Runs(guest, deadlines, RunSettings.defaults(), "python");
    guest.recover(id, Guest.thaw(true, id, Map.of(), limits()), runs::adopt, DEADLINE);
    runs.adopted();
    return new Live(machine, guest, runs);
  }

  private static Limits limits() {
    return Limits.newBuilder()
        .setMemoryBytes(LIMITS.memoryBytes())
        .setDiskBytes(LIMITS.diskBytes())
        .setProcesses(LIMITS.processes())
        .build();
  }

  /** Ends every guest. */
  @Override
  public void close() {
    machines.forEach(Machine::close);
    deadlines.close();
  }
}
