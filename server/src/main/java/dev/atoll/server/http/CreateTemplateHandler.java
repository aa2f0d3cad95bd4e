package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.template.BuildLog;
import dev.atoll.engine.template.RecipeReader;
import dev.atoll.model.AtollException;
import dev.atoll.model.BuildInfo;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;

/**
 * {@code POST /v1/templates}: builds a template from the recipe in the body and tells how it goes.
 * Whoever closes the connection before the end cancels the build.
 */
final class CreateTemplateHandler implements Operation {
  private final Engine engine;
  private final Shutdown shutdown;

  CreateTemplateHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    String project = exchange.project();
    BuildInfo build = engine.templateBuilds().start(project, recipe(exchange));
    boolean heard = false;
    try (Shutdown.Stream _ = shutdown.stream();
        BuildLog.Reader log = engine.templateBuilds().log(project, build.template(), build.id())) {
      new BuildStream(shutdown).send(exchange, log);
      heard = true;
    } finally {
      if (!heard) {
        engine.templateBuilds().cancel(project, build.template(), build.id());
      }
    }
  }

  private static byte[] recipe(Exchange exchange) throws IOException {
    try (InputStream in = exchange.input()) {
      byte[] text = in.readNBytes(RecipeReader.MOST_BYTES + 1);
      if (text.length == 0) {
        throw new AtollException(
            ErrorCode.BAD_REQUEST, "the body is empty, must be a recipe in YAML or JSON");
      }
      return text;
    }
  }
}
