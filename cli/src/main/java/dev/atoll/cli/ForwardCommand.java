package dev.atoll.cli;

import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.PortForward;
import dev.atoll.sdk.SandboxPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets ports of this machine stand for ports of a sandbox. */
@Command(
    name = "forward",
    description = {
      "Let ports of this machine stand for ports of a sandbox, until Ctrl-C.",
      "Whatever is spoken there passes: atoll forward box 8080:3000 5432"
    })
final class ForwardCommand extends SandboxCommand {
  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "[LOCAL:]REMOTE",
      converter = PortPair.Converter.class,
      description = "A port here and one in the sandbox; the same if one is given, 0 for any here.")
  List<PortPair> pairs = new ArrayList<>();

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Address of this machine to listen on; ${DEFAULT-VALUE} by default.")
  String bind = "127.0.0.1";

  @Override
  public Integer call() throws IOException, InterruptedException {
    CountDownLatch interrupted = new CountDownLatch(1);
    List<PortForward> forwards = new ArrayList<>();
    try (Interrupts.Guard _ = session().interrupts().guard(interrupted::countDown)) {
      // Says at once if there is no such sandbox, and wakes it.
      SandboxPorts ports = sandbox().ports();
      ports.list();
      InetAddress address = InetAddress.getByName(bind);
      for (PortPair pair : pairs) {
        forwards.add(start(ports, address, pair));
      }
      tell(forwards);
      interrupted.await();
      return ExitCode.OK;
    } finally {
      forwards.forEach(PortForward::close);
    }
  }

  private PortForward start(SandboxPorts ports, InetAddress address, PortPair pair) {
    try {
      return ports.forward(
          new InetSocketAddress(address, pair.local()), pair.remote(), this::complain);
    } catch (IOException e) {
      throw new UsageException(
          "cannot listen on %s:%d: %s; choose another port, or 0 for any"
              .formatted(bind, pair.local(), e.getMessage()));
    }
  }

  private void tell(List<PortForward> forwards) {
    if (json()) {
      stdio()
          .json(
              forwards.stream().map(f -> Map.of("local", local(f), "remote", f.remote())).toList());
    } else {
      forwards.forEach(f -> stdio().out().println(local(f) + " -> " + sandbox + ":" + f.remote()));
    }
    stdio().out().flush();
  }

  private static String local(PortForward forward) {
    InetSocketAddress local = forward.local();
    String host = local.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + local.getPort();
  }

  private void complain(ApiException failure) {
    stdio().message(FailureMessage.of(failure));
  }
}
