package dev.atoll.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands by name, in groups for the reader. Only the one that was asked for is looked at,
 * since that takes time.
 */
final class Catalogue {
  private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();
  private static final SequencedMap<String, List<String>> GROUPS = new LinkedHashMap<>();

  static {
    group("Code and programs");
    command("run", RunCommand.class);
    command("judge", JudgeCommand.class);
    command("exec", ExecCommand.class);
    command("shell", ShellCommand.class);
    command("cp", CopyCommand.class);
    command("files", FilesCommand.class);
    command("packages", PackagesCommand.class);
    command("ps", ProcessesCommand.class);
    command("logs", LogsCommand.class);
    command("kill", KillCommand.class);
    group("Sandboxes");
    command("create", CreateCommand.class);
    command("ls", ListCommand.class);
    command("info", InfoCommand.class);
    command("update", UpdateCommand.class);
    command("pause", PauseCommand.class);
    command("resume", ResumeCommand.class);
    command("hibernate", HibernateCommand.class);
    command("wake", WakeCommand.class);
    command("rm", RemoveCommand.class);
    command("space", SpaceCommand.class);
    command("pool", PoolCommand.class);
    group("Services");
    command("deploy", DeployCommand.class);
    command("services", ServicesCommand.class);
    group("State");
    command("snapshot", SnapshotCommand.class);
    command("fork", ForkCommand.class);
    command("merge", MergeCommand.class);
    command("diff", DiffCommand.class);
    command("rewind", RewindCommand.class);
    command("tree", TreeCommand.class);
    group("Network, ports and secrets");
    command("network", NetworkCommand.class);
    command("audit", AuditCommand.class);
    command("secret", SecretCommand.class);
    command("ports", PortsCommand.class);
    command("open", OpenCommand.class);
    command("forward", ForwardCommand.class);
    command("share", ShareCommand.class);
    group("Agents");
    command("mcp", McpCommand.class);
    group("Server");
    command("up", UpCommand.class);
    command("down", DownCommand.class);
    command("status", StatusCommand.class);
    command("doctor", DoctorCommand.class);
    command("backup", BackupCommand.class);
    command("restore", RestoreCommand.class);
    command("key", KeyCommand.class);
    command("quota", QuotaCommand.class);
    command("template", TemplateCommand.class);
    command("templates", TemplatesCommand.class);
    group("Machine and checkout");
    command("demo", DemoCommand.class);
    command("setup", SetupCommand.class);
    command("test", TestCommand.class);
    command("bench", BenchCommand.class);
    command("soak", SoakCommand.class);
    command("trials", TrialsCommand.class);
    command("completion", CompletionCommand.class);
    command("version", VersionCommand.class);
    command("help", HelpCommand.class);
  }

  private Catalogue() {}

  private static void group(String title) {
    GROUPS.put(title, new ArrayList<>());
  }

  /** Adds a command to the latest group. */
  private static void command(String name, Class<?> type) {
    COMMANDS.put(name, type);
    GROUPS.lastEntry().getValue().add(name);
  }

  /** A command line that knows what these arguments need. */
  static CommandLine commandLine(String[] args, Session session) {
    String name = args.length == 0 ? "" : ForeignWords.command(args[0]);
    Class<?> one = COMMANDS.get(name);
    return one == null ? obeying(session) : only(name, one, session);
  }

  /** A command line with every command, each under its own name. */
  static CommandLine whole(Session session) {
    IFactory factory = factory(session);
    CommandLine root = root(factory);
    COMMANDS.forEach((name, type) -> root.addSubcommand(name, new CommandLine(type, factory)));
    return root;
  }

  /** The same, which knows the words of other tools too. */
  static CommandLine obeying(Session session) {
    IFactory factory = factory(session);
    CommandLine root = root(factory);
    COMMANDS.forEach((name, type) -> add(root, name, new CommandLine(type, factory)));
    return root;
  }

  private static CommandLine only(String name, Class<?> type, Session session) {
    IFactory factory = factory(session);
    CommandLine root = root(factory);
    add(root, name, new CommandLine(type, factory));
    return root;
  }

  /** Adds a command with its aliases, and gives its subcommands theirs. */
  private static void add(CommandLine to, String name, CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    for (CommandLine sub : List.copyOf(command.getSubcommands().values())) {
      spec.removeSubcommand(sub.getCommandName());
      add(command, sub.getCommandName(), sub);
    }
    spec.aliases(ForeignWords.aliases(name));
    to.addSubcommand(name, command);
  }

  private static CommandLine root(IFactory factory) {
    CommandLine root = new CommandLine(RootCommand.class, factory);
    root.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST, Catalogue::grouped);
    return root;
  }

  private static String summary(CommandSpec command) {
    return command.usageMessage().description()[0];
  }

  private static String grouped(Help help) {
    StringBuilder text = new StringBuilder();
    Map<String, Help> known = help.subcommands();
    GROUPS.forEach(
        (title, names) -> {
          text.append("%n@|bold %s|@%n".formatted(title));
          names.stream()
              .map(known::get)
              .filter(Objects::nonNull)
              .map(one -> one.commandSpec())
              .forEach(one -> text.append("  %-12s %s%n".formatted(one.name(), summary(one))));
        });
    return help.createHeading(text.toString().replace("%", "%%"));
  }

  private static IFactory factory(Session session) {
    IFactory standard = CommandLine.defaultFactory();
    return new IFactory() {
      @Override
      public <K> K create(Class<K> type) throws Exception {
        K made = standard.create(type);
        if (made instanceof AtollCommand command) {
          command.use(session);
        }
        return made;
      }
    };
  }
}
