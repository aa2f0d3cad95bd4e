package dev.atoll.model;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A secret of a project to be made or changed. Its value is put into requests on the host, when
 * they leave for one of its domains; inside a sandbox there is only a placeholder.
 *
 * @param name unique in the project
 * @param value never given back; needed for a new secret
 * @param domains where it may go, such as {@code api.example.com}, {@code *.example.com:443,8443}
 *     or {@code http://internal.example.com:8080}, see {@link SecretDomain}. Needed for a new
 *     secret
 * @param header a header that requests get, such as {@code Authorization: Bearer {value}}; null or
 *     empty for none. {@code Authorization: Basic user:{value}} is encoded as Basic asks for
 * @param query a parameter that requests get, such as {@code key={value}}; null or empty for none
 * @param env the variable in which programs find the placeholder; made from the name when left out
 * @param replaceIn where the placeholder is replaced besides headers for credentials
 */
public record SecretSpec(
    @Nullable String name,
    @Nullable SecretValue value,
    @Nullable List<SecretDomain> domains,
    @Nullable String header,
    @Nullable String query,
    @Nullable String env,
    @Nullable List<SecretPlace> replaceIn) {
  /** What stands for the value in templates. */
  public static final String VALUE = "{value}";

  private static final int MAX_DOMAINS = 64;
  private static final int MAX_TEMPLATE = 1024;
  private static final int MAX_NAMES = 64;

  /** What says how a message is framed or where it goes is not for secrets. */
  private static final Set<String> FORBIDDEN =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "keep-alive",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  public SecretSpec {
    if (name != null) {
      Check.that(name.matches(SandboxSpec.NAME), "name", "must match " + SandboxSpec.NAME);
    }
    if (domains != null) {
      Check.that(!domains.isEmpty(), "domains", "must name at least one domain");
      Check.that(
          domains.size() <= MAX_DOMAINS, "domains", "has more than " + MAX_DOMAINS + " entries");
      domains = domains.stream().distinct().toList();
    }
    if (header != null && !header.isEmpty()) {
      header(header);
    }
    if (query != null && !query.isEmpty()) {
      template("query", query, "[A-Za-z0-9._~-]+=[A-Za-z0-9._~{}-]*");
    }
    if (env != null) {
      Check.that(env.matches("[a-zA-Z_][a-zA-Z0-9_]{0,255}"), "env", "is no variable name: " + env);
    }
    if (replaceIn != null) {
      replaceIn = replaceIn.stream().distinct().sorted().toList();
    }
  }

  private static void header(String header) {
    template("header", header, "[A-Za-z0-9-]+: ?[ -~]*");
    String field = header.substring(0, header.indexOf(':')).toLowerCase(Locale.ROOT);
    Check.that(
        !FORBIDDEN.contains(field) && !field.startsWith("proxy-"),
        "header",
        "cannot be " + field + ", which is not for secrets");
  }

  private static void template(String field, String template, String form) {
    Check.that(
        template.length() <= MAX_TEMPLATE, field, "is longer than " + MAX_TEMPLATE + " characters");
    Check.that(
        template.matches(form),
        field,
        field.equals("header")
            ? "must be like Authorization: Bearer " + VALUE
            : "must be like key=" + VALUE);
    Check.that(
        template.indexOf(VALUE) > template.indexOf(field.equals("header") ? ':' : '='),
        field,
        "must hold " + VALUE + ", which stands for the value");
  }

  /** Checks the names of secrets that a sandbox lists. */
  static List<String> names(List<String> names) {
    Check.that(names.size() <= MAX_NAMES, "secrets", "has more than " + MAX_NAMES + " names");
    for (String name : names) {
      Check.that(
          name != null && name.matches(SandboxSpec.NAME),
          "secrets",
          "has a name that does not match " + SandboxSpec.NAME);
    }
    return names.stream().distinct().toList();
  }
}
