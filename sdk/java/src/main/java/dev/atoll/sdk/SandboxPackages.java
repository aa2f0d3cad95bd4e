package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import dev.atoll.model.PackageFailure;
import dev.atoll.model.PackagesRequest;
import dev.atoll.model.PackagesResult;
import dev.atoll.model.RunEvent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The packages of a sandbox. Names are in the manager's own form, with or without a version: {@code
 * install(Installer.PIP, "pandas==2.2.3", "requests")}.
 */
public final class SandboxPackages {
  private final Api api;
  private final String path;
  private final RunOrigin runs;

  SandboxPackages(Api api, String sandboxPath) {
    this.api = api;
    this.path = sandboxPath + "/packages";
    this.runs = new RunOrigin(api, sandboxPath);
  }

  /**
   * Installs packages and waits for the end.
   *
   * @throws PackageException if one of them cannot be installed
   */
  public PackagesResult install(Installer manager, String... packages) {
    return install(manager, List.of(packages), options -> {});
  }

  /**
   * Installs packages and waits for the end. An interrupt of the calling thread ends the
   * installation.
   *
   * @throws PackageException if one of them cannot be installed
   */
  public PackagesResult install(
      Installer manager, List<String> packages, Consumer<PackageOptions> options) {
    PackageOptions chosen = new PackageOptions();
    options.accept(chosen);
    try (RunStream run = stream(chosen.request(manager, packages), chosen.listeners())) {
      return result(run);
    }
  }

  /** Installs packages; its events are read while they happen. */
  public RunStream stream(PackagesRequest request) {
    return stream(request, event -> {});
  }

  /** What a manager has installed. */
  public List<InstalledPackage> list(Installer manager) {
    ApiRequest request = ApiRequest.get(path).query("manager", manager.wire());
    return api.page(request, InstalledPackage.class).items();
  }

  private RunStream stream(PackagesRequest request, Consumer<RunEvent> listener) {
    return RunStream.start(runs, ApiRequest.post(path).json(request), listener);
  }

  private static PackagesResult result(RunStream run) {
    RunEvent.Packages packages = null;
    RunEvent.End end = null;
    for (RunEvent event : run) {
      if (event instanceof RunEvent.Packages told) {
        packages = told;
      } else if (event instanceof RunEvent.End last) {
        end = last;
      }
    }
    PackageFailure failure = packages == null ? null : packages.failure();
    if (packages == null || end == null || failure != null) {
      throw ErrorAnswers.of(body(failure, end), null);
    }
    return new PackagesResult(
        run.id(), packages.manager(), packages.installed(), end.durationMillis());
  }

  private static ErrorBody body(@Nullable PackageFailure failure, RunEvent.@Nullable End end) {
    if (failure == null) {
      String why =
          end == null || end.message() == null ? "it did not come to its end" : end.message();
      return ApiException.local(ErrorCode.PACKAGE_FAILED, "the installation failed: " + why, null);
    }
    Map<String, Object> details = new HashMap<>(Map.of("log", failure.log()));
    if (failure.name() != null) {
      details.put("package", failure.name());
    }
    return new ErrorBody(failure.code(), failure.message(), failure.hint(), "", details);
  }
}
