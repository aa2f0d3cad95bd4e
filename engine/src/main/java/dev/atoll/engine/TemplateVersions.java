package dev.atoll.engine;

import dev.atoll.engine.store.PoolRows;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.engine.store.TemplateRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.PoolSpec;
import dev.atoll.model.TemplateInfo;
import dev.atoll.model.TemplateReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a project does with the versions of its own templates: tags, shares, deletion. */
public final class TemplateVersions {
  /** All that the owner of a template learns of those who it is shared with. */
  private static final String OTHERS = "another project that it was shared with";

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final Templates templates;
  private final TemplateRows rows;
  private final Registry registry;
  private final SnapshotRows snapshots;
  private final PoolRows pools;
  private final Consumer<String> ready;

  /**
   * @param ready drops the machines that are kept ready of a digest
   */
  TemplateVersions(
      Templates templates,
      TemplateRows rows,
      Registry registry,
      SnapshotRows snapshots,
      PoolRows pools,
      Consumer<String> ready) {
    this.templates = templates;
    this.rows = rows;
    this.registry = registry;
    this.snapshots = snapshots;
    this.pools = pools;
    this.ready = ready;
  }

  /** Lets a tag point to a version, whatever it pointed to before. */
  public TemplateInfo tag(String project, String name, String tag, int version) {
    if (!tag.matches(TemplateReference.TAG) || tag.equals(OwnTemplates.NEWEST)) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "a tag has letters, digits, dots, _ and -, and " + OwnTemplates.NEWEST + " is taken");
    }
    own(project, name);
    TemplateRows.Row _ =
        templates.own().row(project, new TemplateReference(project, name, null, version));
    rows.tag(project, name, tag, version);
    return templates.get(project, name);
  }

  public void untag(String project, String name, String tag) {
    own(project, name);
    if (!rows.untag(project, name, tag)) {
      throw new AtollException(ErrorCode.NOT_FOUND, name + " has no tag " + tag);
    }
  }

  /** Lets another project use a template; it cannot change it, nor read its recipe. */
  public TemplateInfo share(String project, String name, String with) {
    own(project, name);
    rows.share(project, name, with);
    return templates.get(project, name);
  }

  /** Sandboxes that the other project has made go on. */
  public void unshare(String project, String name, String with) {
    own(project, name);
    if (!rows.unshare(project, name, with)) {
      throw new AtollException(ErrorCode.NOT_FOUND, name + " is not shared with " + with);
    }
  }

  /**
   * Deletes a version, or all of them, with files that no other template shares.
   *
   * @param version null for all
   */
  public void delete(String project, String name, @Nullable Integer version) {
    List<TemplateRows.Row> gone =
        own(project, name).stream()
            .filter(row -> version == null || row.version() == version)
            .toList();
    if (gone.isEmpty()) {
      throw OwnTemplates.unknown(new TemplateReference(null, name, null, version));
    }
    gone.forEach(this::requireNoPool);
    gone.forEach(this::requireUnused);
    for (TemplateRows.Row row : gone) {
      boolean free =
          templates.whileFree(
              row.digest(),
              () -> {
                requireUnused(row);
                rows.delete(project, name, List.of(row.version()));
              });
      if (!free) {
        throw inUse(name, "a sandbox that is being made");
      }
      if (!rows.has(row.digest()) && !templates.isBuiltInDigest(row.digest())) {
        templates.maker().forget(row.digest());
        templates.builder().built().delete(row.digest());
      }
    }
  }

  /** Whether a project means one by that name that comes with the server. */
  public boolean isBuiltIn(String project, String name) {
    return rows.versions(project, name).isEmpty() && templates.isBuiltIn(name);
  }

  /**
   * Removes the files of a template that comes with the server. Its recipe stays: whoever asks for
   * it next has it built anew. Machines that were kept ready of it go too.
   */
  public void deleteBuiltIn(String name) {
    String digest =
        templates
            .builtInDigest(name)
            .orElseThrow(() -> OwnTemplates.unknown(new TemplateReference(null, name, null, null)));
    requireUnneeded(name, digest);
    Instant deadline = Instant.now().plus(PATIENCE);
    // A machine for the pool may be under way, which is done in a moment.
    while (!templates.whileFree(digest, () -> removeFiles(name, digest))) {
      if (Instant.now().isAfter(deadline) || Thread.currentThread().isInterrupted()) {
        throw inUse(name, "a sandbox that is being made");
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void removeFiles(String name, String digest) {
    requireUnneeded(name, digest);
    ready.accept(digest);
    templates.maker().forget(digest);
    templates.builder().built().delete(digest);
  }

  private void requireUnneeded(String name, String digest) {
    List<String> users =
        Stream.concat(
                users(digest).stream().map(User::id),
                pools.all().stream()
                    .filter(pool -> name.equals(pool.spec().template()))
                    .filter(pool -> isBuiltIn(pool.project(), name))
                    .map(pool -> "pool " + pool.id()))
            .toList();
    if (!users.isEmpty()) {
      throw inUse(name, firstOf(users));
    }
    if (rows.has(digest)) {
      throw inUse(name, "a template of a project that has the same files");
    }
  }

  private static String firstOf(List<String> users) {
    String first = String.join(", ", users.subList(0, Math.min(5, users.size())));
    return first + (users.size() > 5 ? " and " + (users.size() - 5) + " more" : "");
  }

  private List<TemplateRows.Row> own(String project, String name) {
    List<TemplateRows.Row> versions = rows.versions(project, name);
    if (!versions.isEmpty()) {
      return versions;
    }
    if (templates.isBuiltIn(name)) {
      throw new AtollException(
          ErrorCode.FORBIDDEN,
          name + " comes with the server",
          "only an administrator may remove its files; build a template of your own on it, with base: {template: "
              + name
              + "}");
    }
    throw OwnTemplates.unknown(new TemplateReference(null, name, null, null));
  }

  private void requireNoPool(TemplateRows.Row row) {
    for (PoolRows.Row pool : pools.all()) {
      PoolSpec spec = pool.spec();
      String template = spec.template();
      if (template != null && uses(pool.project(), template, row)) {
        boolean own = pool.project().equals(row.project());
        String name = spec.name() == null ? pool.id() : spec.name();
        throw inUse(row.name(), own ? "pool " + name : OTHERS);
      }
    }
  }

  private boolean uses(String project, String template, TemplateRows.Row row) {
    TemplateReference used = TemplateReference.parse(template);
    try {
      return used.name().equals(row.name()) && templates.own().row(project, used).equals(row);
    } catch (AtollException e) {
      return false;
    }
  }

  /** A sandbox or a snapshot that needs the files of a template. */
  private record User(String project, String id) {}

  private void requireUnused(TemplateRows.Row row) {
    String digest = row.digest();
    if (templates.isBuiltInDigest(digest)) {
      return;
    }
    List<User> users = users(digest);
    List<String> own =
        users.stream().filter(user -> user.project().equals(row.project())).map(User::id).toList();
    if (!own.isEmpty()) {
      throw inUse(row.name(), firstOf(own));
    }
    // Where another template has the same files they stay, and nobody else is concerned.
    if (!users.isEmpty() && rows.countWith(digest) == 1) {
      throw inUse(row.name(), OTHERS);
    }
  }

  private List<User> users(String digest) {
    List<User> users = new ArrayList<>();
    registry.all().stream()
        .filter(sandbox -> sandbox.info().templateDigest().equals(digest))
        .map(sandbox -> new User(sandbox.project(), sandbox.id()))
        .forEach(users::add);
    snapshots.all().stream()
        .filter(snapshot -> snapshot.info().templateDigest().equals(digest))
        .map(snapshot -> new User(snapshot.project(), snapshot.info().id()))
        .forEach(users::add);
    return users;
  }

  private static AtollException inUse(String name, String by) {
    return new AtollException(
        ErrorCode.CONFLICT,
        "template " + name + " is needed by " + by,
        "end these first, or delete another version",
        Map.of("usedBy", by),
        null);
  }
}
