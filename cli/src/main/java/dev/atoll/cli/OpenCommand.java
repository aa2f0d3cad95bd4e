package dev.atoll.cli;

import dev.atoll.model.PortAccess;
import dev.atoll.model.PortInfo;
import dev.atoll.model.PortShare;
import dev.atoll.sdk.SandboxPorts;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Opens a port of a sandbox in a browser. */
@Command(
    name = "open",
    description = {
      "Open a port of a sandbox in a browser, and print its address.",
      "Unless the port is public, the address has a token in it: who has it is let in."
    })
final class OpenCommand extends SandboxCommand {
  @Parameters(index = "1", paramLabel = "PORT", description = "The port in the sandbox.")
  int port;

  @Option(names = "--print", description = "Print the address only; open nothing.")
  boolean print;

  @Option(
      names = "--ttl",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long the token is good for; a day by default.")
  @Nullable Duration ttl;

  @Override
  public Integer call() {
    SandboxPorts ports = sandbox().ports();
    PortInfo info = ports.get(port);
    if (!info.listening()) {
      stdio().message("nothing listens on port " + port + " yet; see atoll ports " + sandbox);
    }
    String url = info.access() == PortAccess.PUBLIC ? info.url() : url(share(ports));
    if (json()) {
      stdio().json(Map.of("port", port, "url", String.valueOf(url)));
    } else {
      stdio().out().println(url);
    }
    stdio().out().flush();
    if (!print && !json() && hasDisplay() && url != null) {
      browse(url);
    }
    return ExitCode.OK;
  }

  private PortShare share(SandboxPorts ports) {
    return ttl == null ? ports.share(port) : ports.share(port, ttl);
  }

  private static String url(PortShare share) {
    return String.valueOf(share.url());
  }

  private boolean hasDisplay() {
    Map<String, String> environment = stdio().environment();
    return environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY");
  }

  /** The address is ours, and no shell reads it. */
  private void browse(String url) {
    try {
      new ProcessBuilder("xdg-open", url)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      stdio().message("no browser could be started; open the address yourself");
    }
  }
}
