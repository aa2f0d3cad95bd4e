package dev.atoll.engine;

import dev.atoll.engine.store.PoolRows;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.engine.store.TemplateRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.PoolSpec;
import dev.atoll.model.TemplateInfo;
import dev.atoll.model.TemplateReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a project does with the versions of its own templates: tags, shares, deletion. */
public final class TemplateVersions {
  private final Templates templates;
  private final TemplateRows rows;
  private final Registry registry;
  private final SnapshotRows snapshots;
  private final PoolRows pools;

  TemplateVersions(
      Templates templates,
      TemplateRows rows,
      Registry registry,
      SnapshotRows snapshots,
      PoolRows pools) {
    this.templates = templates;
    this.rows = rows;
    this.registry = registry;
    this.snapshots = snapshots;
    this.pools = pools;
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
    gone.forEach(row -> requireUnused(name, row.digest()));
    for (TemplateRows.Row row : gone) {
      boolean free =
          templates.whileFree(
              row.digest(),
              () -> {
                requireUnused(name, row.digest());
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

  private List<TemplateRows.Row> own(String project, String name) {
    List<TemplateRows.Row> versions = rows.versions(project, name);
    if (!versions.isEmpty()) {
      return versions;
    }
    if (templates.isBuiltIn(name)) {
      throw new AtollException(
          ErrorCode.FORBIDDEN,
          name + " comes with the server",
          "build a template of your own on it, with base: {template: " + name + "}");
    }
    throw OwnTemplates.unknown(new TemplateReference(null, name, null, null));
  }

  private void requireNoPool(TemplateRows.Row row) {
    for (PoolRows.Row pool : pools.all()) {
      PoolSpec spec = pool.spec();
      String template = spec.template();
      if (template != null && uses(pool.project(), template, row)) {
        throw inUse(row.name(), "pool " + (spec.name() == null ? pool.id() : spec.name()));
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

  private void requireUnused(String name, String digest) {
    List<String> users = new ArrayList<>();
    registry.all().stream()
        .filter(sandbox -> sandbox.info().templateDigest().equals(digest))
        .map(LiveSandbox::id)
        .forEach(users::add);
    snapshots.all().stream()
        .filter(row -> row.info().templateDigest().equals(digest))
        .map(row -> row.info().id())
        .forEach(users::add);
    if (!users.isEmpty() && !templates.isBuiltInDigest(digest)) {
      String first = String.join(", ", users.subList(0, Math.min(5, users.size())));
      throw inUse(name, first + (users.size() > 5 ? " and " + (users.size() - 5) + " more" : ""));
    }
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
