package dev.atoll.sdk;

import dev.atoll.model.BuildEvent;
import dev.atoll.model.BuildInfo;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.TagRequest;
import dev.atoll.model.TemplateInfo;
import dev.atoll.model.TemplateReference;
import dev.atoll.sdk.transport.HttpAnswer;
import dev.atoll.sdk.transport.HttpBody;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The templates that sandboxes are made from. Those that come with the server are open to all; a
 * project builds its own from recipes, and may share them with other projects.
 */
public final class Templates {
  private static final String PATH = "/v1/templates";
  private static final Duration BUILD_TIME = Duration.ofHours(2);

  private final Api api;

  Templates(Api api) {
    this.api = api;
  }

  /** All templates that the project may use. */
  public List<TemplateInfo> list() {
    return api.page(ApiRequest.get(PATH), TemplateInfo.class).items();
  }

  /**
   * One template.
   *
   * @param reference {@code name}, {@code name:tag} or {@code name@version}, with {@code owner/}
   *     before it when another project shares it
   */
  public TemplateInfo get(String reference) {
    return api.call(asked(ApiRequest::get, reference, ""), TemplateInfo.class);
  }

  /** Builds it if it is not ready, or joins the build that is under way. */
  public TemplateInfo build(String reference) {
    return build(reference, message -> {});
  }

  /** Builds it as {@link #build(String)} does, and tells what is being done. */
  public TemplateInfo build(String reference, Consumer<String> progress) {
    ApiRequest request =
        asked(ApiRequest::post, reference, "/build").accept(ApiRequest.NDJSON).timeout(BUILD_TIME);
    return follow(request, reference, telling(progress));
  }

  /**
   * Builds a template from a recipe in YAML or JSON, as a new version of the template of that name,
   * and returns when it is ready. When the calling thread is interrupted, or the program ends, the
   * build is cancelled.
   */
  public TemplateInfo create(String recipe) {
    return create(recipe, event -> {});
  }

  /** Builds it as {@link #create(String)} does, and tells everything that happens. */
  public TemplateInfo create(String recipe, Consumer<BuildEvent> events) {
    ApiRequest request =
        ApiRequest.post(PATH)
            .bytes(HttpBody.of(recipe.getBytes(StandardCharsets.UTF_8)), "application/yaml")
            .accept(ApiRequest.NDJSON)
            .timeout(BUILD_TIME);
    return follow(request, "", events);
  }

  private TemplateInfo follow(ApiRequest request, String name, Consumer<BuildEvent> events) {
    try (HttpAnswer answer = api.open(request)) {
      LineReader lines = new LineReader(answer.body());
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        BuildEvent event = Json.lenient().readValue(line, BuildEvent.class);
        if (event instanceof BuildEvent.BuildReady ready) {
          return ready.template();
        }
        if (event instanceof BuildEvent.BuildFailed failed) {
          throw ErrorAnswers.of(failed.error(), null);
        }
        events.accept(event);
      }
    } catch (IOException e) {
      throw broken(name, e);
    }
    throw broken(name, null);
  }

  private static Consumer<BuildEvent> telling(Consumer<String> progress) {
    return event -> {
      if (event instanceof BuildEvent.BuildStep step) {
        progress.accept(step.message());
      }
    };
  }

  private static ApiException broken(String name, @Nullable IOException cause) {
    return new ApiException(
        ApiException.local(
            ErrorCode.TEMPLATE_BUILD_FAILED,
            "the connection broke while template " + name + " was being built",
            "build it again: what is done is kept"),
        cause);
  }

  /** The builds of one of the project's templates, the newest first. */
  public List<BuildInfo> builds(String name) {
    return api.page(ApiRequest.get(path(name) + "/builds"), BuildInfo.class).items();
  }

  /** Cancels a build; one that has ended is left as it is. */
  public void cancel(String name, String build) {
    api.send(ApiRequest.delete(buildPath(name, build)));
  }

  /** Gives all that a build has said, and follows one that is under way to its end. */
  public void logs(String name, String build, Consumer<BuildEvent> events) {
    ApiRequest request =
        ApiRequest.get(buildPath(name, build) + "/logs")
            .accept(ApiRequest.NDJSON)
            .timeout(BUILD_TIME);
    try (HttpAnswer answer = api.open(request)) {
      LineReader lines = new LineReader(answer.body());
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        events.accept(Json.lenient().readValue(line, BuildEvent.class));
      }
    } catch (IOException e) {
      throw new ConnectionException("the connection broke", "ask for the log again", e);
    }
  }

  /** Lets a tag of one of the project's templates point to a version. */
  public TemplateInfo tag(String name, String tag, int version) {
    return api.call(
        ApiRequest.put(tagPath(name, tag)).json(new TagRequest(version)).harmlessToRepeat(),
        TemplateInfo.class);
  }

  /** Removes a tag; its version stays. */
  public void untag(String name, String tag) {
    api.send(ApiRequest.delete(tagPath(name, tag)));
  }

  /** Lets another project use one of this project's templates. */
  public TemplateInfo share(String name, String project) {
    return api.call(
        ApiRequest.put(sharePath(name, project)).harmlessToRepeat(), TemplateInfo.class);
  }

  /** Ends that; sandboxes that the other project has made go on. */
  public void unshare(String name, String project) {
    api.send(ApiRequest.delete(sharePath(name, project)));
  }

  /** Deletes all versions of one of the project's templates. */
  public void delete(String name) {
    api.send(ApiRequest.delete(path(name)));
  }

  /** Deletes one version. */
  public void delete(String name, int version) {
    api.send(ApiRequest.delete(path(name)).query("version", version));
  }

  private interface Method {
    ApiRequest of(String path);
  }

  private static ApiRequest asked(Method method, String reference, String rest) {
    TemplateReference parsed = TemplateReference.parse(reference);
    return method
        .of(path(parsed.name()) + rest)
        .query("owner", parsed.owner())
        .query("tag", parsed.tag())
        .query("version", parsed.version());
  }

  private static String path(String name) {
    return PATH + "/" + ApiRequest.segment(name);
  }

  private static String buildPath(String name, String build) {
    return path(name) + "/builds/" + ApiRequest.segment(build);
  }

  private static String tagPath(String name, String tag) {
    return path(name) + "/tags/" + ApiRequest.segment(tag);
  }

  private static String sharePath(String name, String project) {
    return path(name) + "/shares/" + ApiRequest.segment(project);
  }
}
