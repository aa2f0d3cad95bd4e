package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Page;
import dev.atoll.model.TagRequest;
import dev.atoll.model.TemplateReference;
import org.jspecify.annotations.Nullable;

/** Looking at templates, and what a project does with its own. */
final class TemplateOperations {
  private final Engine engine;

  TemplateOperations(Engine engine) {
    this.engine = engine;
  }

  void list(Exchange exchange) {
    exchange.json(200, new Page<>(engine.templates().list(exchange.project()), null));
  }

  void get(Exchange exchange) {
    exchange.json(200, engine.templates().get(exchange.project(), reference(exchange)));
  }

  /** The template in the path, with what the query says about it. */
  static String reference(Exchange exchange) {
    Query query = exchange.query();
    Integer version = version(exchange);
    String tag = query.text("tag");
    if (version != null && tag != null) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, "give either version or tag");
    }
    return new TemplateReference(query.text("owner"), exchange.path("name"), tag, version)
        .toString();
  }

  private static @Nullable Integer version(Exchange exchange) {
    String text = exchange.query().text("version");
    if (text == null) {
      return null;
    }
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "version must be a whole number from 1 on",
          null,
          Exchange.field("version"),
          null);
    }
    return Integer.valueOf(text);
  }

  /** The files of one that comes with the server are everybody's, so administrators remove them. */
  void delete(Exchange exchange) {
    String name = exchange.path("name");
    Integer version = version(exchange);
    boolean builtIn = engine.templateVersions().isBuiltIn(exchange.project(), name);
    if (builtIn && version == null && exchange.owner().administrator()) {
      engine.templateVersions().deleteBuiltIn(name);
    } else {
      engine.templateVersions().delete(exchange.project(), name, version);
    }
    exchange.noContent();
  }

  void tag(Exchange exchange) {
    exchange.json(
        200,
        engine
            .templateVersions()
            .tag(
                exchange.project(),
                exchange.path("name"),
                exchange.path("tag"),
                exchange.body(TagRequest.class).version()));
  }

  void untag(Exchange exchange) {
    engine
        .templateVersions()
        .untag(exchange.project(), exchange.path("name"), exchange.path("tag"));
    exchange.noContent();
  }

  void share(Exchange exchange) {
    exchange.json(
        200,
        engine
            .templateVersions()
            .share(exchange.project(), exchange.path("name"), exchange.path("project")));
  }

  void unshare(Exchange exchange) {
    engine
        .templateVersions()
        .unshare(exchange.project(), exchange.path("name"), exchange.path("project"));
    exchange.noContent();
  }

  void builds(Exchange exchange) {
    exchange.json(
        200,
        new Page<>(engine.templateBuilds().list(exchange.project(), exchange.path("name")), null));
  }

  void cancel(Exchange exchange) {
    engine
        .templateBuilds()
        .cancel(exchange.project(), exchange.path("name"), exchange.path("build"));
    exchange.noContent();
  }
}
