package dev.atoll.engine.template;

import dev.atoll.engine.oci.ImagePuller;
import dev.atoll.model.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How a recipe becomes a template: what it stands on, and the steps on top of that. Everything is
 * named by the digest of what it is made from.
 *
 * @param recipe with all that it takes over from a template below it
 * @param ground what it stands on
 * @param steps run in a sandbox one after the other
 * @param content names the files of the root without Atoll's own
 * @param digest names the whole template
 */
public record BuildPlan(
    Recipe recipe, Ground ground, List<Step> steps, String content, String digest) {
  /** Raised when the same recipe would give another template than before. */
  private static final String FORMAT = "4";

  private static final String DEBIAN_FORMAT = "1";

  public BuildPlan {
    steps = List.copyOf(steps);
  }

  /**
   * A root file system to stand on.
   *
   * @param folder its name below the folder of templates
   * @param content names the files in it
   * @param image digest of the manifest that it is made from; null when it is made from something
   *     else, or from whatever the reference of an administrator's recipe means
   */
  public record Ground(String folder, String content, @Nullable String image) {}

  /**
   * A command and the layer that it leaves.
   *
   * @param layer the digest of all that went before it and of itself
   */
  public record Step(String layer, String title, String script) {}

  /**
   * Plans a recipe.
   *
   * @param below the template that it is built on; null when it is built on something else
   */
  public static BuildPlan of(Recipe said, @Nullable BuildPlan below) {
    return below == null
        ? of(said, ground(said))
        : of(
            said.over(below.recipe()),
            new Ground(below.digest() + "/rootfs", below.content(), null));
  }

  /**
   * Plans a recipe on an image that was found. One that everybody may read is shared by all who
   * name its registry, so that no other registry has a part in it. One that credentials were used
   * for is the project's alone, with all that is built on it: whoever knows its digest has not
   * shown that he may read it.
   */
  public static BuildPlan onImage(String project, Recipe said, ImagePuller.Found image) {
    Base base = said.base();
    String registry = ImagePuller.registry(String.valueOf(base.image()));
    Ground ground =
        base.auth() == null
            ? made(image.digest(), "verified-image", registry)
            : made(image.digest(), "verified-image-of", project, registry);
    return of(
        said.over(image.config()), new Ground(ground.folder(), ground.content(), image.digest()));
  }

  private static BuildPlan of(Recipe recipe, Ground ground) {
    String content =
        hash(
            FORMAT,
            ground.content(),
            recipe.user(),
            Json.lenient().writeValueAsString(new TreeMap<>(recipe.env())),
            Json.lenient().writeValueAsString(recipe.files()),
            Json.lenient().writeValueAsString(recipe.archives()));
    List<Step> steps = new ArrayList<>();
    for (Step step : scripts(recipe)) {
      content = hash(content, step.script(), Json.lenient().writeValueAsString(recipe.network()));
      steps.add(new Step(content, step.title(), step.script()));
    }
    return new BuildPlan(recipe, ground, steps, content, digest(recipe, content));
  }

  private static List<Step> scripts(Recipe recipe) {
    List<Step> steps = new ArrayList<>();
    if (recipe.base().debian() == null && !recipe.packages().isEmpty()) {
      String names = String.join(" ", new TreeSet<>(recipe.packages()));
      steps.add(new Step("", "packages: " + names, installation(names)));
    }
    for (String command : recipe.setup()) {
      steps.add(new Step("", "setup: " + command.lines().findFirst().orElse(""), command));
    }
    return steps;
  }

  /** By what the base has. */
  private static String installation(String names) {
    return """
        if command -v apt-get > /dev/null; then
          apt-get update
          apt-get install -y --no-install-recommends %s
          apt-get clean
          rm -rf /var/lib/apt/lists/*
        elif command -v apk > /dev/null; then
          apk add --no-cache %s
        else
          echo 'the base has neither apt-get nor apk: install packages by setup: commands' >&2
          exit 127
        fi
        """
        .formatted(names, names);
  }

  private static Ground ground(Recipe recipe) {
    Base base = recipe.base();
    if (base.image() != null) {
      return made(base.image(), "reference");
    }
    return base.sha256() == null ? debian(recipe) : made(base.sha256(), "tarball");
  }

  private static Ground made(String from, String... kind) {
    List<String> parts = new ArrayList<>(List.of(FORMAT));
    parts.addAll(List.of(kind));
    parts.add(from);
    String name = "base-" + hash(parts.toArray(String[]::new)).substring(0, 32);
    return new Ground(name, name, null);
  }

  private static Ground debian(Recipe recipe) {
    List<String> parts = new ArrayList<>(List.of(DEBIAN_FORMAT, recipe.base().debian() + ""));
    parts.addAll(new TreeSet<>(recipe.packages()));
    String name = "base-" + hash(parts.toArray(String[]::new)).substring(0, 16);
    return new Ground(name, name, null);
  }

  private static String digest(Recipe recipe, String content) {
    Map<String, Object> fields = new TreeMap<>();
    fields.put("allow-root", recipe.allowRoot());
    fields.put("kernels", new TreeMap<>(recipe.kernels()));
    fields.put("languages", new TreeMap<>(recipe.languages()));
    fields.put("spare", String.valueOf(recipe.spare()));
    fields.put("directory", String.valueOf(recipe.directory()));
    fields.put("start", recipe.start());
    fields.put("preload", recipe.preload());
    fields.put("ready", String.valueOf(recipe.ready()));
    MessageDigest sha = sha256();
    update(sha, content);
    update(sha, Json.lenient().writeValueAsString(fields));
    update(sha, ClientFiles.SETTINGS);
    GuestFiles.all()
        .forEach(
            (path, bytes) -> {
              update(sha, path);
              sha.update(bytes);
            });
    return HexFormat.of().formatHex(sha.digest());
  }

  private static String hash(String... parts) {
    MessageDigest sha = sha256();
    for (String part : parts) {
      update(sha, part);
    }
    return HexFormat.of().formatHex(sha.digest());
  }

  private static void update(MessageDigest sha, String text) {
    sha.update(text.getBytes(StandardCharsets.UTF_8));
    sha.update((byte) 0);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
