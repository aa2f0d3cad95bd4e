package dev.atoll.server.mcp;

import dev.atoll.engine.Run;
import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import dev.atoll.model.PackageFailure;
import dev.atoll.model.PackagesRequest;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.server.mcp.Tool.Effect;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Tools that run something. */
final class CodeTools {
  private static final String TIMEOUT = "after so many seconds it is stopped";

  private CodeTools() {}

  static List<Tool> all() {
    return List.of(runCode(), runShell(), installPackages());
  }

  private static Tool runCode() {
    return new Tool(
        "run_code",
        "Run code",
        "Runs code in an isolated sandbox and gives back what it prints, the value of the last"
            + " expression, figures as images, and the traceback of an error. Variables, imports"
            + " and files stay for the next call. Python unless another language is named. Print"
            + " what you want to see. Nobody answers input(): give data as a variable or file."
            + " Missing packages: install_packages.",
        Effect.CHANGES,
        Tool.inSandbox()
            .text("code", "the code")
            .text("language", "python by default; javascript, typescript, bash, … by template")
            .text("context", "name of a separate set of variables")
            .number("timeout_seconds", TIMEOUT)
            .requiring("code")
            .arguments(),
        RunFollower.output().build(),
        CodeTools::runCode);
  }

  private static ToolAnswer runCode(ToolRequest request) {
    RunCodeRequest code =
        new RunCodeRequest(
            request.required("code"),
            request.text("language"),
            request.text("context"),
            null,
            request.number("timeout_seconds"),
            null);
    String sandbox = request.sandbox();
    Run run = request.engine().sandboxes().runCode(request.project(), sandbox, code);
    return RunFollower.follow(request, sandbox, run);
  }

  private static Tool runShell() {
    return new Tool(
        "run_shell",
        "Run a shell command",
        "Runs a command line with bash in the sandbox, in a new shell each time: neither variables"
            + " nor the working directory stay, files do. For a server that should keep running,"
            + " put it into the background with nohup and &.",
        Effect.CHANGES,
        Tool.inSandbox()
            .text("command", "the command line")
            .text("cwd", "working directory, the home directory by default")
            .text("stdin", "what it reads from standard input")
            .number("timeout_seconds", TIMEOUT)
            .requiring("command")
            .arguments(),
        RunFollower.output().build(),
        CodeTools::runShell);
  }

  private static ToolAnswer runShell(ToolRequest request) {
    CommandRequest command =
        new CommandRequest(
            null,
            request.required("command"),
            request.text("cwd"),
            null,
            null,
            request.text("stdin"),
            null,
            null,
            request.number("timeout_seconds"),
            null,
            null);
    String sandbox = request.sandbox();
    Run run = request.engine().sandboxes().runCommand(request.project(), sandbox, command);
    return RunFollower.follow(request, sandbox, run);
  }

  private static Tool installPackages() {
    return new Tool(
        "install_packages",
        "Install packages",
        "Installs packages into the sandbox from the registries it may reach.",
        Effect.CHANGES,
        Tool.inSandbox()
            .texts("packages", "names, each with or without a version, such as pandas==2.2.3")
            .choice(
                "manager",
                "pip by default",
                Arrays.stream(Installer.values()).map(Installer::wire).toList())
            .requiring("packages")
            .arguments(),
        Schema.object()
            .text("sandbox", "where they are")
            .list(
                "installed",
                "what was installed, with what it needs",
                Schema.object()
                    .text("name", "of the package")
                    .text("version", "of the package")
                    .requiring("name", "version")
                    .build())
            .requiring("sandbox", "installed")
            .build(),
        CodeTools::installPackages);
  }

  private static ToolAnswer installPackages(ToolRequest request) {
    String manager = request.text("manager");
    PackagesRequest wanted =
        PackagesRequest.of(
            manager == null ? Installer.PIP : Installer.of(manager), request.texts("packages"));
    String sandbox = request.sandbox();
    Run run = request.engine().sandboxes().installPackages(request.project(), sandbox, wanted);
    RunEvent.Packages told = RunFollower.watch(request, run);
    PackageFailure failure = told == null ? null : told.failure();
    if (told == null) {
      throw new AtollException(ErrorCode.PACKAGE_FAILED, "the installation was cut short");
    }
    if (failure != null) {
      throw new AtollException(
          failure.code(),
          failure.message() + "\n" + Shortened.middle(String.join("\n", failure.log())),
          failure.hint());
    }
    String list =
        told.installed().stream()
            .map(one -> one.name() + " " + one.version())
            .collect(Collectors.joining(", "));
    return ToolAnswer.of(list.isEmpty() ? "all of them were there already" : "installed " + list)
        .with("sandbox", sandbox)
        .with(
            "installed",
            told.installed().stream()
                .map(one -> Map.of("name", one.name(), "version", one.version()))
                .toList());
  }
}
