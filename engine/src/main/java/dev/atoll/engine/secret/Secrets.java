package dev.atoll.engine.secret;

import dev.atoll.engine.store.SecretRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretPlace;
import dev.atoll.model.SecretSpec;
import dev.atoll.model.SecretValue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets of all projects. Values are sealed in the database and in memory, and opened for each
 * use. Thread-safe.
 */
public final class Secrets {
  private static final Logger LOG = LoggerFactory.getLogger(Secrets.class);
  private static final int MAX_PER_PROJECT = 1000;
  private static final int PLACEHOLDER_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SecretRows rows;
  private final Seal seal;
  private final Authorities authorities;
  private final Map<String, Map<String, SecretRows.Row>> projects = new ConcurrentHashMap<>();

  /**
   * Takes over what is stored.
   *
   * @param dataDirectory holds the key unless the settings name another file
   */
  public Secrets(SecretRows rows, SecretSettings settings, Path dataDirectory) {
    this.rows = rows;
    Path named = settings.keyFile();
    this.seal =
        new Seal(
            new KeyRing(
                named == null ? dataDirectory.resolve("secrets.key") : named,
                named == null,
                "secrets",
                "restore it, or set secrets.key-file"));
    this.authorities = new Authorities(rows, seal);
    for (SecretRows.Row row : rows.all()) {
      keep(renewed(row));
    }
    authorities.renew();
  }

  /** What signs for the domains of secrets. */
  public Authorities authorities() {
    return authorities;
  }

  /** Seals with the current key what an older one has sealed. */
  private SecretRows.Row renewed(SecretRows.Row row) {
    try {
      if (!seal.isCurrent(row.key())) {
        SecretRows.Row fresh = row(row.project(), row.info(), open(row));
        rows.put(fresh);
        return fresh;
      }
    } catch (AtollException e) {
      LOG.error("secret {} of {}: {}", row.info().name(), row.project(), e.getMessage());
    }
    return row;
  }

  private void keep(SecretRows.Row row) {
    project(row.project()).put(row.info().name(), row);
  }

  private Map<String, SecretRows.Row> project(String project) {
    return projects.computeIfAbsent(project, p -> new ConcurrentSkipListMap<>());
  }

  private SecretRows.Row row(String project, SecretInfo info, SecretValue value) {
    Seal.Sealed sealed =
        seal.seal(value.reveal().getBytes(StandardCharsets.UTF_8), "secret", project, info.name());
    return new SecretRows.Row(project, info, sealed.key(), sealed.bytes());
  }

  private SecretValue open(SecretRows.Row row) {
    byte[] plain =
        seal.open(
            new Seal.Sealed(row.key(), row.sealed()), "secret", row.project(), row.info().name());
    return SecretValue.of(new String(plain, StandardCharsets.UTF_8));
  }

  /** Makes a secret; there must be none of that name. */
  public synchronized SecretInfo create(String project, SecretSpec spec) {
    String name = spec.name();
    if (name == null) {
      throw invalid("name", "must be given");
    }
    if (project(project).containsKey(name)) {
      throw new AtollException(
          ErrorCode.NAME_TAKEN,
          "there is a secret named " + name + " already",
          "change it with PUT, or `atoll secret set`; or choose another name");
    }
    return put(project, name, spec);
  }

  /**
   * Makes a secret, or changes one: what is left out stays as it is. Where a value may go and how
   * is changed by those alone who have the value, which they give again: otherwise whoever has a
   * key of the project could have the value sent to themselves.
   */
  public synchronized SecretInfo put(String project, String name, SecretSpec spec) {
    if (spec.name() != null && !spec.name().equals(name)) {
      throw invalid("name", "is another than that of the address");
    }
    SecretRows.Row before = project(project).get(name);
    if (before == null && project(project).size() >= MAX_PER_PROJECT) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "the project has %d secrets, which is the most".formatted(MAX_PER_PROJECT),
          "delete some of them");
    }
    SecretInfo info = info(name, spec, before == null ? null : before.info());
    SecretValue value = spec.value();
    if (value == null) {
      if (before == null) {
        throw invalid("value", "must be given for a new secret");
      }
      if (!goesTheSameWay(before.info(), info)) {
        throw invalid("value", "must be given again to change domains, header, query or replaceIn");
      }
      value = open(before);
    }
    SecretRows.Row row = row(project, info, value);
    rows.put(row);
    keep(row);
    return row.info();
  }

  private static boolean goesTheSameWay(SecretInfo before, SecretInfo after) {
    return Set.copyOf(before.domains()).equals(Set.copyOf(after.domains()))
        && Objects.equals(before.header(), after.header())
        && Objects.equals(before.query(), after.query())
        && before.replaceIn().equals(after.replaceIn());
  }

  private static SecretInfo info(String name, SecretSpec spec, @Nullable SecretInfo before) {
    Instant now = Instant.ofEpochMilli(System.currentTimeMillis());
    List<SecretDomain> domains = spec.domains();
    if (domains == null) {
      if (before == null) {
        throw invalid("domains", "must be given for a new secret");
      }
      domains = before.domains();
    }
    String env = spec.env();
    List<SecretPlace> places = spec.replaceIn();
    return new SecretInfo(
        name,
        domains,
        template(spec.header(), before == null ? null : before.header()),
        template(spec.query(), before == null ? null : before.query()),
        places != null ? places : before != null ? before.replaceIn() : List.of(),
        env != null ? env : before != null ? before.env() : variable(name),
        before == null ? placeholder() : before.placeholder(),
        before == null ? now : before.createdAt(),
        now);
  }

  private static @Nullable String template(@Nullable String asked, @Nullable String before) {
    return asked == null ? before : asked.isEmpty() ? null : asked;
  }

  /** A name as a variable: {@code openai-key} becomes {@code OPENAI_KEY}. */
  private static String variable(String name) {
    String upper = name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9_]", "_");
    return Character.isDigit(upper.charAt(0)) ? "_" + upper : upper;
  }

  private static String placeholder() {
    byte[] random = new byte[PLACEHOLDER_BYTES];
    RANDOM.nextBytes(random);
    return "atoll-secret-" + HexFormat.of().formatHex(random);
  }

  private static AtollException invalid(String field, String what) {
    return new AtollException(
        ErrorCode.INVALID_ARGUMENT, field + " " + what, null, Map.of("field", field), null);
  }

  public List<SecretInfo> list(String project) {
    return project(project).values().stream().map(SecretRows.Row::info).toList();
  }

  public SecretInfo get(String project, String name) {
    SecretRows.Row row = project(project).get(name);
    if (row == null) {
      throw unknown(name);
    }
    return row.info();
  }

  /** Forgets a secret; the next request that would have had it goes out without. */
  public synchronized void delete(String project, String name) {
    if (!rows.delete(project, name)) {
      throw unknown(name);
    }
    project(project).remove(name);
  }

  private static AtollException unknown(String name) {
    return new AtollException(
        ErrorCode.SECRET_NOT_FOUND,
        "there is no secret " + name,
        "list them with `atoll secret ls`; make one with `atoll secret set`");
  }

  /** Makes sure that a sandbox may list these. */
  public void require(String project, @Nullable Collection<String> names) {
    if (names != null) {
      names.forEach(name -> get(project, name));
    }
  }

  /** The variables in which programs of a sandbox find the placeholders. */
  public Map<String, String> variables(String project, Collection<String> names) {
    Map<String, String> variables = new LinkedHashMap<>();
    known(project, names).forEach(row -> variables.put(row.info().env(), row.info().placeholder()));
    return variables;
  }

  /** Whether some of these secrets may go there. */
  public boolean bind(String project, Collection<String> names, String host, int port) {
    return known(project, names).anyMatch(row -> goesTo(row.info(), host, port));
  }

  /** Those of these secrets that may go there, over TLS or without it, as they are now. */
  public List<BoundSecret> bound(String project, Collection<String> names, String host, int port) {
    return known(project, names)
        .filter(row -> goesTo(row.info(), host, port))
        .map(row -> new BoundSecret(row.info(), open(row)))
        .toList();
  }

  /** Those of these secrets that may go there in this way, as they are now. */
  public List<BoundSecret> bound(
      String project, Collection<String> names, String host, int port, boolean tls) {
    return bound(project, names, host, port).stream()
        .filter(
            secret ->
                secret.info().domains().stream()
                    .anyMatch(domain -> domain.matches(host, port, tls)))
        .toList();
  }

  private Stream<SecretRows.Row> known(String project, Collection<String> names) {
    Map<String, SecretRows.Row> all = project(project);
    return names.stream().flatMap(name -> Stream.ofNullable(all.get(name)));
  }

  private static boolean goesTo(SecretInfo info, String host, int port) {
    return info.domains().stream().anyMatch(domain -> domain.matches(host, port));
  }
}
