package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to run once, in a sandbox of its own that is gone afterwards.
 *
 * @param language one that a template's {@code languages:} table has, or an alias of it as in
 *     {@link Language}
 * @param code the program's main file
 * @param files further files, by their path below the folder that it is compiled and run in
 * @param stdin text for its standard input, which then ends
 * @param args its arguments
 * @param env variables of the program
 * @param timeoutSeconds after that all its processes are killed; the server's default for runs when
 *     left out
 * @param compileTimeoutSeconds the same for the compiler, a minute when left out
 * @param maxOutputBytes how much of its output is delivered; the rest is dropped and counted
 * @param template where to run it, see {@link TemplateReference}; by default one that has the
 *     language
 * @param network what the sandbox may reach; the package registries when left out
 * @param secrets names of the project's secrets that its requests may use
 */
public record ExecuteRequest(
    String language,
    String code,
    @Nullable Map<String, String> files,
    @Nullable String stdin,
    @Nullable List<String> args,
    @Nullable Map<String, String> env,
    @Nullable Double timeoutSeconds,
    @Nullable Double compileTimeoutSeconds,
    @Nullable Long maxOutputBytes,
    @Nullable String template,
    @Nullable Double cpus,
    @Nullable Integer memoryMiB,
    @Nullable Integer diskMiB,
    @Nullable Integer processes,
    @Nullable NetworkPolicy network,
    @Nullable List<String> secrets) {
  public ExecuteRequest {
    language = ProgramFiles.language(language);
    Check.that(code != null, "code", "must be given");
    files = ProgramFiles.files(files);
    args = ProgramFiles.arguments(args);
    env = env == null ? null : Check.environment("env", env);
    Check.range("timeoutSeconds", timeoutSeconds, 0.01, 86_400);
    Check.range("compileTimeoutSeconds", compileTimeoutSeconds, 0.01, 3600);
    Check.range("maxOutputBytes", maxOutputBytes, 0, 1L << 30);
    if (template != null) {
      TemplateReference.parse(template);
    }
    Check.range("cpus", cpus, 0.1, 64);
    Check.range("memoryMiB", memoryMiB, 64, 262_144);
    Check.range("diskMiB", diskMiB, 16, 1_048_576);
    Check.range("processes", processes, 8, 32_768);
    secrets = secrets == null ? null : SecretSpec.names(secrets);
  }

  /** A program with the default limits. */
  public static ExecuteRequest of(String language, String code) {
    return new ExecuteRequest(
        language, code, null, null, null, null, null, null, null, null, null, null, null, null,
        null, null);
  }
}
