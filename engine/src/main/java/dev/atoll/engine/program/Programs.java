package dev.atoll.engine.program;

import dev.atoll.engine.SandboxDefaults;
import dev.atoll.engine.Sandboxes;
import dev.atoll.engine.Templates;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ExecuteRequest;
import dev.atoll.model.JudgeCase;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Programs that run once. Thread-safe. */
public final class Programs {
  private static final Duration COMPILE_TIMEOUT = Duration.ofMinutes(1);

  /** What everything around a program may take, beyond which its sandbox is nobody's any more. */
  private static final Duration AROUND = Duration.ofMinutes(1);

  /** What a sandbox needs beside the program that is judged in it. */
  private static final int BESIDE_MIB = 320;

  private static final double MOST_SECONDS = 31_536_000;

  private final Sandboxes sandboxes;
  private final SandboxDefaults defaults;
  private final LanguageTable languages;
  private final RunSettings settings;

  public Programs(
      Sandboxes sandboxes, Templates templates, SandboxDefaults defaults, RunSettings settings) {
    this.sandboxes = sandboxes;
    this.defaults = defaults;
    this.languages = new LanguageTable(templates, defaults.template());
    this.settings = settings;
  }

  /** Makes a sandbox for a program and stores its code there; the caller closes it. */
  public OneShot open(String project, ExecuteRequest request) {
    LanguageTable.Choice choice = languages.choose(project, request.language(), request.template());
    Duration compile = seconds(request.compileTimeoutSeconds(), COMPILE_TIMEOUT);
    Duration timeout = seconds(request.timeoutSeconds(), settings.timeout());
    Long maxOutput = request.maxOutputBytes();
    SandboxSpec spec = spec(choice.template(), request, compile.plus(timeout).plus(AROUND));
    OwnSandbox sandbox = new OwnSandbox(sandboxes, project, spec);
    boolean done = false;
    try {
      Workplace workplace = new Workplace(sandboxes, project, sandbox.id(), choice.recipe());
      workplace.fill(request.code(), request.files());
      done = true;
      return new OneShot(
          sandbox,
          workplace,
          request,
          compile,
          timeout,
          maxOutput == null ? settings.maxOutputBytes() : maxOutput);
    } finally {
      if (!done) {
        sandbox.close();
      }
    }
  }

  /** Makes a sandbox for a program to judge and stores its code there; the caller closes it. */
  public Judging judge(String project, JudgeRequest request) {
    LanguageTable.Choice choice = languages.choose(project, request.language(), request.template());
    Duration compile = seconds(request.compileTimeoutSeconds(), COMPILE_TIMEOUT);
    OwnSandbox sandbox = new OwnSandbox(sandboxes, project, spec(choice.template(), request));
    boolean done = false;
    try {
      Workplace workplace = new Workplace(sandboxes, project, sandbox.id(), choice.recipe());
      workplace.fill(request.code(), request.files());
      done = true;
      return new Judging(request, workplace, compile, sandbox::close);
    } finally {
      if (!done) {
        sandbox.close();
      }
    }
  }

  /** Stores a program to judge in a sandbox that is there; closing it removes the program. */
  public Judging judge(String project, String idOrName, JudgeRequest request) {
    SandboxInfo info = sandboxes.get(project, idOrName);
    if (request.template() != null || request.cpus() != null || request.network() != null) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "template, cpus and network are those of the sandbox",
          "leave them out, or judge in a sandbox of its own: POST /v1/judge");
    }
    Workplace workplace =
        new Workplace(sandboxes, project, info.id(), languages.in(info, request.language()));
    boolean done = false;
    try {
      workplace.fill(request.code(), request.files());
      done = true;
      Duration compile = seconds(request.compileTimeoutSeconds(), COMPILE_TIMEOUT);
      return new Judging(request, workplace, compile, workplace::clear);
    } finally {
      if (!done) {
        workplace.clear();
      }
    }
  }

  private SandboxSpec spec(String template, JudgeRequest request) {
    Duration ttl = seconds(request.compileTimeoutSeconds(), COMPILE_TIMEOUT).plus(AROUND);
    int memory = 0;
    for (JudgeCase one : request.allCases()) {
      CaseLimits limits = new CaseLimits(request, one);
      ttl = ttl.plus(limits.wall()).plusSeconds(1);
      memory = Math.max(memory, limits.memoryMiB() + BESIDE_MIB);
    }
    NetworkPolicy network = request.network();
    return spec(
        template,
        request.language(),
        request.cpus(),
        memory <= defaults.memoryMiB() ? null : memory,
        null,
        null,
        ttl,
        network == null ? new NetworkPolicy(NetworkMode.NONE, null, null) : network,
        null);
  }

  private static SandboxSpec spec(String template, ExecuteRequest request, Duration ttl) {
    return spec(
        template,
        request.language(),
        request.cpus(),
        request.memoryMiB(),
        request.diskMiB(),
        request.processes(),
        ttl,
        request.network(),
        request.secrets());
  }

  private static SandboxSpec spec(
      String template,
      String language,
      @Nullable Double cpus,
      @Nullable Integer memoryMiB,
      @Nullable Integer diskMiB,
      @Nullable Integer processes,
      Duration ttl,
      @Nullable NetworkPolicy network,
      @Nullable List<String> secrets) {
    return new SandboxSpec(
        null,
        template,
        cpus,
        memoryMiB,
        diskMiB,
        processes,
        null,
        Map.of("program", language),
        Math.min(MOST_SECONDS, ttl.toMillis() / 1000.0),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        network,
        secrets);
  }

  private static Duration seconds(@Nullable Double seconds, Duration otherwise) {
    return seconds == null ? otherwise : Duration.ofMillis(Math.round(seconds * 1000));
  }
}
