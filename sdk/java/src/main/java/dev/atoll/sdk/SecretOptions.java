package dev.atoll.sdk;

import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretPlace;
import dev.atoll.model.SecretSpec;
import dev.atoll.model.SecretValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a secret should be, set in a lambda; see {@link Secrets#set}. */
public final class SecretOptions {
  private final List<SecretDomain> domains = new ArrayList<>();
  private @Nullable SecretValue value;
  private @Nullable String header;
  private @Nullable String query;
  private @Nullable String env;
  private @Nullable List<SecretPlace> replaceIn;

  SecretOptions() {}

  /** The value; needed for a new secret, and to change anything but {@link #env}. */
  public SecretOptions value(String text) {
    value = SecretValue.of(text);
    return this;
  }

  /**
   * Where it may go, such as {@code api.example.com} or {@code *.example.com:443,8443}; without a
   * port 443 is meant. It goes over TLS, except on port 80 and where {@code http://} is before it.
   * All that are given replace those of before.
   */
  public SecretOptions domain(String... rules) {
    for (String rule : rules) {
      domains.add(SecretDomain.parse(rule));
    }
    return this;
  }

  /**
   * A header that requests get, such as {@code Authorization: Bearer {value}}; the empty text for
   * none. Without a template, the value takes the place of the placeholder in headers for
   * credentials.
   */
  public SecretOptions header(String template) {
    header = template;
    return this;
  }

  /** A parameter that requests get, such as {@code key={value}}; the empty text for none. */
  public SecretOptions query(String template) {
    query = template;
    return this;
  }

  /** The variable in which programs find the placeholder; made from the name when left out. */
  public SecretOptions env(String variable) {
    env = variable;
    return this;
  }

  /** Where the placeholder is replaced besides headers for credentials; none by default. */
  public SecretOptions replaceIn(SecretPlace... places) {
    replaceIn = List.of(places);
    return this;
  }

  SecretSpec spec() {
    return new SecretSpec(
        null, value, domains.isEmpty() ? null : domains, header, query, env, replaceIn);
  }
}
