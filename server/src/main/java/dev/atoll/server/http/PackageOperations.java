package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.Run;
import dev.atoll.engine.RunEvents;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import dev.atoll.model.PackageFailure;
import dev.atoll.model.PackagesRequest;
import dev.atoll.model.PackagesResult;
import dev.atoll.model.Page;
import dev.atoll.model.RunEvent;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /v1/sandboxes/{sb}/packages}: installs packages and lists them. */
final class PackageOperations {
  private final Engine engine;
  private final RunAnswer answer;
  private final Shutdown shutdown;

  PackageOperations(Engine engine, RunAnswer answer, Shutdown shutdown) {
    this.engine = engine;
    this.answer = answer;
    this.shutdown = shutdown;
  }

  void install(Exchange exchange) throws IOException {
    String sandbox = exchange.sandbox();
    PackagesRequest request = exchange.body(PackagesRequest.class);
    Run run = engine.sandboxes().installPackages(exchange.project(), sandbox, request);
    if (exchange.wantsStream()) {
      answer.follow(exchange, run, 0, "packages");
    } else {
      exchange.json(200, result(run));
    }
  }

  void list(Exchange exchange) {
    Installer manager = exchange.query().choice("manager", Installer.class, Installer::wire);
    String project = exchange.project();
    List<InstalledPackage> all =
        engine
            .sandboxes()
            .packages(project, exchange.sandbox(), manager == null ? Installer.PIP : manager);
    exchange.json(200, new Page<>(all, null));
  }

  private PackagesResult result(Run run) {
    RunEvent.Packages packages = null;
    try (RunEvents events = run.hold(0)) {
      while (true) {
        RunEvent event = events.next(Shutdown.TICK);
        shutdown.check();
        if (event instanceof RunEvent.Packages told) {
          packages = told;
        } else if (event instanceof RunEvent.End end) {
          answer.ended("packages", end);
          return result(run, packages, end);
        }
      }
    }
  }

  private static PackagesResult result(
      Run run, RunEvent.@Nullable Packages packages, RunEvent.End end) {
    if (packages == null) {
      throw new AtollException(
          ErrorCode.PACKAGE_FAILED, "the installation failed: " + end.message());
    }
    PackageFailure failure = packages.failure();
    if (failure != null) {
      Map<String, Object> details = new HashMap<>(Map.of("run", run.id(), "log", failure.log()));
      if (failure.name() != null) {
        details.put("package", failure.name());
      }
      throw new AtollException(failure.code(), failure.message(), failure.hint(), details, null);
    }
    return new PackagesResult(
        run.id(), packages.manager(), packages.installed(), end.durationMillis());
  }
}
