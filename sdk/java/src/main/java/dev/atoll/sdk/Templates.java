package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.TemplateInfo;
import dev.atoll.sdk.transport.HttpAnswer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The templates that sandboxes are made from. */
public final class Templates {
  private static final String PATH = "/v1/templates";
  private static final Duration BUILD_TIME = Duration.ofMinutes(30);

  private final Api api;

  Templates(Api api) {
    this.api = api;
  }

  /** All templates. */
  public List<TemplateInfo> list() {
    return api.page(ApiRequest.get(PATH), TemplateInfo.class).items();
  }

  /** One template. */
  public TemplateInfo get(String name) {
    return api.call(ApiRequest.get(path(name)), TemplateInfo.class);
  }

  /** Builds it if it is not ready, or joins the build that is under way. */
  public TemplateInfo build(String name) {
    return build(name, message -> {});
  }

  /** Builds it as {@link #build(String)} does, and tells what is being done. */
  public TemplateInfo build(String name, Consumer<String> progress) {
    ApiRequest request =
        ApiRequest.post(path(name) + "/build").accept(ApiRequest.NDJSON).timeout(BUILD_TIME);
    try (HttpAnswer answer = api.open(request)) {
      LineReader lines = new LineReader(answer.body());
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        BuildLine step = Json.lenient().readValue(line, BuildLine.class);
        if (step.template() != null) {
          return step.template();
        }
        if (step.error() != null) {
          throw ErrorAnswers.of(step.error(), null);
        }
        if (step.message() != null) {
          progress.accept(step.message());
        }
      }
    } catch (IOException e) {
      throw broken(name, e);
    }
    throw broken(name, null);
  }

  private static ApiException broken(String name, @Nullable IOException cause) {
    return new ApiException(
        ApiException.local(
            ErrorCode.TEMPLATE_BUILD_FAILED,
            "the connection broke while template " + name + " was being built",
            "the build goes on in the server; call it again to join"),
        cause);
  }

  private static String path(String name) {
    return PATH + "/" + ApiRequest.segment(name);
  }

  private record BuildLine(
      String type,
      @Nullable String message,
      @Nullable TemplateInfo template,
      @Nullable ErrorBody error) {}
}
