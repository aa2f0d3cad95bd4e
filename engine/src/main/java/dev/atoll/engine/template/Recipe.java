package dev.atoll.engine.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.atoll.engine.oci.ImageConfig;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.TemplateReference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a template is made of, as its YAML file says.
 *
 * @param suite a Debian release, short for a base of Debian
 * @param base what it is built on
 * @param packages Debian packages
 * @param archives packages of npm's registry or Maven's repository that are unpacked into it
 * @param user the user that everything runs as
 * @param allowRoot whether a caller of the API may run things as root inside
 * @param env variables of everything that runs inside
 * @param kernels language to command line
 * @param languages language to how a program of it is made and run, once
 * @param spare language of the kernel that is started before the checkpoint
 * @param start shell commands run as the user before the checkpoint
 * @param preload Python modules that the spare kernel imports before the checkpoint
 * @param setup shell commands run as root when the template is built, each a layer of its own
 * @param ready what must succeed before the checkpoint is taken
 * @param directory where programs start that are told no other place; the user's home by default
 * @param network what the setup commands may reach; the package registries when left out
 */
public record Recipe(
    String name,
    @Nullable String description,
    @Nullable String suite,
    @Nullable Base base,
    List<String> packages,
    List<RecipeArchive> archives,
    @Nullable String user,
    @JsonProperty("allow-root") @Nullable Boolean allowRoot,
    Map<String, String> env,
    List<RecipeFile> files,
    Map<String, String> kernels,
    Map<String, ProgramRecipe> languages,
    @Nullable String spare,
    List<String> start,
    List<String> preload,
    List<String> setup,
    @Nullable Ready ready,
    @Nullable NetworkPolicy network,
    @Nullable String directory) {
  private static final int MOST_STEPS = 200;
  private static final int MOST_STARTED = 32;
  private static final int MOST_LINE = 8000;

  /**
   * A file that the template adds.
   *
   * @param mode permission bits in octal, 0644 by default
   */
  public record RecipeFile(String path, String content, @Nullable String mode) {
    public RecipeFile {
      check(
          path != null
              && path.matches("/[^\\p{Cntrl}]{1,4000}")
              && !path.endsWith("/")
              && !path.contains(".."),
          "files",
          "has a bad path: " + path);
      check(content != null, "files", "has no content for " + path);
      check(mode == null || mode.matches("0?[0-7]{3}"), "files", "has a bad mode for " + path);
    }

    int permissions() {
      return mode == null ? 0644 : Integer.parseInt(mode, 8);
    }
  }

  public Recipe {
    check(
        name != null && name.matches(TemplateReference.NAME),
        "name",
        "must be lower-case letters, digits and -");
    check(
        (suite == null) != (base == null),
        "base",
        "must say what the template is built on, such as {debian: trixie} or {template: python}");
    base = base == null && suite != null ? Base.ofDebian(suite) : base;
    suite = null;
    packages = packages == null ? List.of() : List.copyOf(packages);
    archives = archives == null ? List.of() : List.copyOf(archives);
    for (String p : packages) {
      check(p.matches("[a-z0-9][a-z0-9+.-]+"), "packages", "has a bad name: " + p);
    }
    check(
        user == null || (user.matches("[a-z_][a-z0-9_-]{0,31}") && !user.equals("root")),
        "user",
        "must be a plain user name other than root");
    env = env == null ? Map.of() : Map.copyOf(env);
    env.forEach(
        (variable, value) ->
            check(
                variable.matches("[a-zA-Z_][a-zA-Z0-9_]{0,255}")
                    && value.indexOf(0) < 0
                    && !(variable.equals("PATH") && value.contains("\n")),
                "env",
                "has a bad variable: " + variable));
    files = files == null ? List.of() : List.copyOf(files);
    kernels = kernels == null ? Map.of() : Map.copyOf(kernels);
    languages = ProgramRecipe.table(languages);
    kernels.forEach((language, command) -> line(language + command, "kernels"));
    check(
        spare == null || kernels.containsKey(spare) || (base != null && base.template() != null),
        "spare",
        "names no kernel: " + spare);
    check(
        directory == null || directory.matches("/[^\\p{Cntrl}]{1,1000}"),
        "directory",
        "must be an absolute path");
    start = start == null ? List.of() : List.copyOf(start);
    check(start.size() <= MOST_STARTED, "start", "has more than " + MOST_STARTED + " commands");
    start.forEach(command -> line(command, "start"));
    preload = preload == null ? List.of() : List.copyOf(preload);
    for (String module : preload) {
      check(
          module.matches("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*"),
          "preload",
          "has no name of a module, such as numpy or matplotlib.pyplot: " + module);
    }
    boolean inherits = base != null && base.template() != null;
    check(
        preload.isEmpty() || "python".equals(spare) || (spare == null && inherits),
        "preload",
        "needs spare: python");
    setup = setup == null ? List.of() : List.copyOf(setup);
    check(setup.size() <= MOST_STEPS, "setup", "has more than " + MOST_STEPS + " commands");
    for (String command : setup) {
      check(!command.isBlank() && command.indexOf(0) < 0, "setup", "has an empty command");
    }
  }

  /** One line each: the agent's configuration is made of lines. */
  private static void line(String text, String key) {
    check(
        !text.isBlank() && text.length() <= MOST_LINE && !text.matches("(?s).*[\\n\\r\\x00].*"),
        key,
        "must be one line each");
  }

  /** Never null, although a recipe may say {@code suite} instead. */
  @Override
  public Base base() {
    if (base == null) {
      throw new IllegalStateException("a recipe has a base");
    }
    return base;
  }

  @Override
  public String user() {
    return user == null ? "sandbox" : user;
  }

  @Override
  public Boolean allowRoot() {
    return allowRoot != null && allowRoot;
  }

  @Override
  public NetworkPolicy network() {
    return network == null ? NetworkPolicy.defaults() : network;
  }

  /**
   * The same with what it takes over from the template that it is built on: user, variables,
   * kernels and what is started. Packages and files are in that template's root already.
   */
  Recipe over(Recipe below) {
    Map<String, String> variables = new HashMap<>(below.env);
    variables.putAll(env);
    Map<String, String> commands = new HashMap<>(below.kernels);
    commands.putAll(kernels);
    Map<String, ProgramRecipe> programs = new HashMap<>(below.languages);
    programs.putAll(languages);
    List<String> started = new ArrayList<>(below.start);
    started.addAll(start);
    List<String> imported = new ArrayList<>(below.preload);
    imported.addAll(preload);
    return new Recipe(
        name,
        description,
        suite,
        base,
        packages,
        archives,
        user == null ? below.user : user,
        allowRoot == null ? below.allowRoot : allowRoot,
        variables,
        files,
        commands,
        programs,
        spare == null ? below.spare : spare,
        started,
        imported,
        setup,
        ready == null ? below.ready : ready,
        network,
        directory == null ? below.directory : directory);
  }

  /** The same on an image: what the recipe does not say is as the image says. */
  Recipe over(ImageConfig image) {
    Map<String, String> variables = new HashMap<>(image.env());
    variables.putAll(env);
    return new Recipe(
        name,
        description,
        suite,
        base,
        packages,
        archives,
        user == null ? image.user() : user,
        allowRoot,
        variables,
        files,
        kernels,
        languages,
        spare,
        start,
        preload,
        setup,
        ready,
        network,
        directory == null ? image.directory() : directory);
  }

  /** Reads a recipe file; what is wrong with it is said with its name. */
  public static Recipe read(Path file) {
    try {
      return RecipeReader.read(String.valueOf(file.getFileName()), Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void check(boolean holds, String key, String rule) {
    if (!holds) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, key + " " + rule, null, Map.of("field", key), null);
    }
  }
}
