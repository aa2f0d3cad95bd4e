package dev.atoll.engine.inject;

import dev.atoll.engine.secret.BoundSecret;
import dev.atoll.model.SecretPlace;
import dev.atoll.model.SecretSpec;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;

/**
 * A request with the values in it: in place of placeholders in headers for credentials and wherever
 * else a secret says, and in the header and the parameter that a secret's templates name.
 *
 * @param used names of the secrets that it was given
 * @param left names of the secrets whose placeholder stands where it is not replaced
 */
record Injection(String target, List<HttpField> fields, List<String> used, List<String> left) {

  static Injection into(String target, List<HttpField> fields, List<BoundSecret> secrets) {
    String address = target;
    List<HttpField> changed = PlainAnswers.askedFor(fields);
    TreeSet<String> used = new TreeSet<>();
    TreeSet<String> left = new TreeSet<>();
    for (BoundSecret secret : secrets) {
      String placeholder = secret.info().placeholder();
      String before = address;
      List<HttpField> fieldsBefore = List.copyOf(changed);
      address = replaced(address, secret);
      changed.replaceAll(field -> replaced(field, secret));
      address = withParameter(address, secret);
      setHeader(changed, secret);
      if (!address.equals(before) || !changed.equals(fieldsBefore)) {
        used.add(secret.info().name());
      }
      if (address.contains(placeholder)
          || changed.stream().anyMatch(field -> contains(field, placeholder))) {
        left.add(secret.info().name());
      }
    }
    return new Injection(address, List.copyOf(changed), List.copyOf(used), List.copyOf(left));
  }

  private static boolean contains(HttpField field, String placeholder) {
    return field.getValue() != null && field.getValue().contains(placeholder);
  }

  private static boolean replacesIn(BoundSecret secret, SecretPlace place) {
    return secret.info().replaceIn().contains(place);
  }

  private static String replaced(String target, BoundSecret secret) {
    int mark = target.indexOf('?');
    String path = mark < 0 ? target : target.substring(0, mark);
    String query = mark < 0 ? "" : target.substring(mark);
    return replaced(path, secret, SecretPlace.PATH) + replaced(query, secret, SecretPlace.QUERY);
  }

  private static String replaced(String part, BoundSecret secret, SecretPlace place) {
    return replacesIn(secret, place)
        ? part.replace(secret.info().placeholder(), Percent.encode(secret.value().reveal()))
        : part;
  }

  private static HttpField replaced(HttpField field, BoundSecret secret) {
    return CredentialHeaders.has(field.getName()) || replacesIn(secret, SecretPlace.HEADERS)
        ? replaced(field, secret.info().placeholder(), secret.value().reveal())
        : field;
  }

  private static HttpField replaced(HttpField field, String placeholder, String value) {
    String before = field.getValue();
    if (before == null) {
      return field;
    }
    String after = before.replace(placeholder, value);
    if (field.getName().equalsIgnoreCase("Authorization") && Basic.is(after)) {
      after = Basic.change(after, credentials -> credentials.replace(placeholder, value));
    }
    return after.equals(before) ? field : new HttpField(field.getName(), after);
  }

  private static void setHeader(List<HttpField> fields, BoundSecret secret) {
    String template = secret.info().header();
    if (template == null) {
      return;
    }
    int colon = template.indexOf(':');
    String name = template.substring(0, colon);
    String value =
        template.substring(colon + 1).strip().replace(SecretSpec.VALUE, secret.value().reveal());
    fields.removeIf(field -> field.getName().equalsIgnoreCase(name));
    fields.add(
        new HttpField(
            name,
            name.equalsIgnoreCase("Authorization") && Basic.is(value)
                ? Basic.ofTemplate(value)
                : value));
  }

  private static String withParameter(String target, BoundSecret secret) {
    String template = secret.info().query();
    if (template == null) {
      return target;
    }
    int equals = template.indexOf('=');
    String name = template.substring(0, equals);
    String value =
        template
            .substring(equals + 1)
            .replace(SecretSpec.VALUE, Percent.encode(secret.value().reveal()));
    int mark = target.indexOf('?');
    String path = mark < 0 ? target : target.substring(0, mark);
    Stream<String> others =
        mark < 0
            ? Stream.of()
            : Stream.of(target.substring(mark + 1).split("&", -1))
                .filter(pair -> !pair.isEmpty() && !pair.split("=", 2)[0].equals(name));
    return path
        + "?"
        + Stream.concat(others, Stream.of(name + "=" + value)).collect(Collectors.joining("&"));
  }
}
