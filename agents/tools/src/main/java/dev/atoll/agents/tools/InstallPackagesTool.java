package dev.atoll.agents.tools;

import dev.atoll.model.Installer;
import dev.atoll.model.PackagesResult;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Installs packages. */
final class InstallPackagesTool implements Tool {
  private static final int MAX_PACKAGES = 50;
  private static final List<String> MANAGERS =
      Arrays.stream(Installer.values()).map(Installer::wire).toList();

  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    return new ToolDefinition(
        "install_packages",
        "Installs packages into the sandbox, for instance after a ModuleNotFoundError. They stay"
            + " installed, and variables are kept: just import and go on.",
        new Schema()
            .required(
                "packages",
                Schema.strings(1, MAX_PACKAGES),
                "Names, with a version where it matters, in the manager's own form: pandas,"
                    + " pandas==2.2.3, lodash@4.")
            .optional("manager", Schema.oneOf(MANAGERS), "pip by default.")
            .build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    List<String> packages = arguments.texts("packages", 1, MAX_PACKAGES);
    String manager = arguments.optionalText("manager");
    PackagesResult result =
        desk.workspace()
            .install(
                manager == null ? Installer.PIP : Installer.of(manager),
                packages,
                desk.limits().longestTimeout(),
                desk.listener());
    return ToolResult.text(
        "Installed: "
            + result.installed().stream()
                .map(one -> one.name() + " " + one.version())
                .collect(Collectors.joining(", ")));
  }

  @Override
  public String lane(ToolCall call) {
    return "packages";
  }
}
