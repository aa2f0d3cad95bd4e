package dev.atoll.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** The commands by name. Only the one that was asked for is looked at, since that takes time. */
final class Catalogue {
  private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("run", RunCommand.class);
    COMMANDS.put("create", CreateCommand.class);
    COMMANDS.put("ls", ListCommand.class);
    COMMANDS.put("info", InfoCommand.class);
    COMMANDS.put("exec", ExecCommand.class);
    COMMANDS.put("shell", ShellCommand.class);
    COMMANDS.put("cp", CopyCommand.class);
    COMMANDS.put("ps", ProcessesCommand.class);
    COMMANDS.put("logs", LogsCommand.class);
    COMMANDS.put("kill", KillCommand.class);
    COMMANDS.put("update", UpdateCommand.class);
    COMMANDS.put("pause", PauseCommand.class);
    COMMANDS.put("resume", ResumeCommand.class);
    COMMANDS.put("rm", RemoveCommand.class);
    COMMANDS.put("snapshot", SnapshotCommand.class);
    COMMANDS.put("fork", ForkCommand.class);
    COMMANDS.put("merge", MergeCommand.class);
    COMMANDS.put("diff", DiffCommand.class);
    COMMANDS.put("rewind", RewindCommand.class);
    COMMANDS.put("tree", TreeCommand.class);
    COMMANDS.put("hibernate", HibernateCommand.class);
    COMMANDS.put("wake", WakeCommand.class);
    COMMANDS.put("space", SpaceCommand.class);
    COMMANDS.put("pool", PoolCommand.class);
    COMMANDS.put("network", NetworkCommand.class);
    COMMANDS.put("secret", SecretCommand.class);
    COMMANDS.put("audit", AuditCommand.class);
    COMMANDS.put("ports", PortsCommand.class);
    COMMANDS.put("open", OpenCommand.class);
    COMMANDS.put("forward", ForwardCommand.class);
    COMMANDS.put("share", ShareCommand.class);
    COMMANDS.put("templates", TemplatesCommand.class);
    COMMANDS.put("template", TemplateCommand.class);
    COMMANDS.put("key", KeyCommand.class);
    COMMANDS.put("status", StatusCommand.class);
    COMMANDS.put("doctor", DoctorCommand.class);
    COMMANDS.put("completion", CompletionCommand.class);
    COMMANDS.put("version", VersionCommand.class);
  }

  private Catalogue() {}

  /** A command line that knows what these arguments need. */
  static CommandLine commandLine(String[] args, Session session) {
    String name = args.length == 0 ? "" : args[0];
    Class<?> one = COMMANDS.get(name);
    return one == null ? whole(session) : only(name, one, session);
  }

  /** A command line with every command. */
  static CommandLine whole(Session session) {
    IFactory factory = factory(session);
    CommandLine root = root(factory);
    COMMANDS.forEach((name, type) -> root.addSubcommand(name, new CommandLine(type, factory)));
    return root;
  }

  private static CommandLine only(String name, Class<?> type, Session session) {
    IFactory factory = factory(session);
    CommandLine root = root(factory);
    root.addSubcommand(name, new CommandLine(type, factory));
    return root;
  }

  private static CommandLine root(IFactory factory) {
    return new CommandLine(RootCommand.class, factory);
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
