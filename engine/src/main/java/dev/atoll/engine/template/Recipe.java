package dev.atoll.engine.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * What a template is made of, as its YAML file says.
 *
 * @param suite Debian release
 * @param archives packages of the npm registry that are unpacked into it
 * @param user the user that everything runs as
 * @param allowRoot whether a caller of the API may run things as root inside
 * @param env variables of everything that runs inside
 * @param kernels language to command line
 * @param languages language to how a program of it is made and run, once
 * @param spare language of the kernel that is started before the checkpoint
 * @param start shell commands run as the user before the checkpoint
 * @param preload Python modules that the spare kernel imports before the checkpoint
 */
public record Recipe(
    String name,
    @Nullable String description,
    String suite,
    List<String> packages,
    List<RecipeArchive> archives,
    String user,
    @JsonProperty("allow-root") boolean allowRoot,
    Map<String, String> env,
    List<RecipeFile> files,
    Map<String, String> kernels,
    Map<String, ProgramRecipe> languages,
    @Nullable String spare,
    List<String> start,
    List<String> preload) {

  /**
   * A file that the template adds.
   *
   * @param mode permission bits in octal, 0644 by default
   */
  public record RecipeFile(String path, String content, @Nullable String mode) {
    public RecipeFile {
      check(
          path != null && path.startsWith("/") && !path.contains(".."), "files: bad path " + path);
      check(content != null, "files: no content for " + path);
      check(mode == null || mode.matches("0?[0-7]{3}"), "files: bad mode for " + path);
    }

    int permissions() {
      return mode == null ? 0644 : Integer.parseInt(mode, 8);
    }
  }

  public Recipe {
    check(
        name != null && name.matches("[a-z0-9][a-z0-9-]{0,62}"),
        "name must be lower-case letters, digits and -");
    check(suite != null && suite.matches("[a-z]+"), "suite must be the name of a Debian release");
    packages = packages == null ? List.of() : List.copyOf(packages);
    for (String p : packages) {
      check(p.matches("[a-z0-9][a-z0-9+.-]+"), "packages: bad name " + p);
    }
    archives = archives == null ? List.of() : List.copyOf(archives);
    user = user == null ? "sandbox" : user;
    check(
        user.matches("[a-z_][a-z0-9_-]{0,31}") && !user.equals("root"),
        "user must be a plain user name");
    env = env == null ? Map.of() : Map.copyOf(env);
    files = files == null ? List.of() : List.copyOf(files);
    kernels = kernels == null ? Map.of() : Map.copyOf(kernels);
    languages = ProgramRecipe.table(languages);
    start = start == null ? List.of() : List.copyOf(start);
    check(spare == null || kernels.containsKey(spare), "spare names no kernel: " + spare);
    for (String command : start) {
      check(!command.contains("\n"), "start: one line each");
    }
    preload = preload == null ? List.of() : List.copyOf(preload);
    for (String module : preload) {
      check(
          module.matches("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*"),
          "preload: "
              + module
              + " is not the name of a module, such as numpy or matplotlib.pyplot");
    }
    check(preload.isEmpty() || "python".equals(spare), "preload needs spare: python");
  }

  /** Reads a recipe file; what is wrong with it is said with its name. */
  public static Recipe read(Path file) {
    try {
      return YAMLMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build()
          .readValue(Files.readAllBytes(file), Recipe.class);
    } catch (JacksonException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          file.getFileName() + ": " + e.getOriginalMessage(),
          "see docs/templates.md for what a recipe may say",
          Map.of(),
          e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, message);
    }
  }
}
