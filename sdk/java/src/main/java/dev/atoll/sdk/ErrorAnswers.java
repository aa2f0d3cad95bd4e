package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.sdk.transport.HttpAnswer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Turns error answers into exceptions; the one place where codes meet classes. */
final class ErrorAnswers {
  private static final int MAX_BODY = 1 << 20;

  private ErrorAnswers() {}

  /** Reads and closes an answer whose status is not a success. */
  static ApiException read(HttpAnswer answer) {
    try (answer) {
      return of(body(answer), retryAfter(answer));
    }
  }

  static ApiException of(ErrorBody body, @Nullable Duration retryAfter) {
    return switch (body.code()) {
      case SANDBOX_NOT_FOUND -> new SandboxNotFoundException(body);
      case SNAPSHOT_NOT_FOUND -> new SnapshotNotFoundException(body);
      case POOL_NOT_FOUND -> new PoolNotFoundException(body);
      case NOT_FOUND,
          TEMPLATE_NOT_FOUND,
          SECRET_NOT_FOUND,
          SERVICE_NOT_FOUND,
          CONTEXT_NOT_FOUND,
          PROCESS_NOT_FOUND,
          FILE_NOT_FOUND ->
          new NotFoundException(body);
      case UNAUTHENTICATED, FORBIDDEN -> new AuthenticationException(body);
      case QUOTA_EXCEEDED, OVERLOADED -> new QuotaExceededException(body, retryAfter);
      case BAD_REQUEST,
          UNKNOWN_FIELD,
          INVALID_ARGUMENT,
          METHOD_NOT_ALLOWED,
          TOO_LARGE,
          URI_TOO_LONG,
          UNSUPPORTED_MEDIA_TYPE,
          RANGE_NOT_SATISFIABLE,
          UNSUPPORTED_LANGUAGE,
          INPUT_UNSUPPORTED,
          COMMAND_NOT_FOUND ->
          new InvalidRequestException(body);
      case CONFLICT,
          NAME_TAKEN,
          IDEMPOTENCY_MISMATCH,
          FILE_EXISTS,
          SANDBOX_NOT_RUNNING,
          BUSY,
          INPUT_NOT_AWAITED,
          NOT_A_DIRECTORY,
          IS_A_DIRECTORY,
          DIRECTORY_NOT_EMPTY,
          GONE ->
          new ConflictException(body);
      case NOT_RELATED -> new NotRelatedException(body);
      case SNAPSHOT_INCOMPATIBLE -> new SnapshotIncompatibleException(body);
      case INSUFFICIENT_MEMORY -> new InsufficientMemoryException(body);
      case TIMEOUT -> new DeadlineExceededException(body, null);
      case PACKAGE_NOT_FOUND,
          PACKAGE_VERSION_NOT_FOUND,
          PACKAGE_CONFLICT,
          PACKAGE_BUILD_FAILED,
          PACKAGE_FAILED,
          PACKAGE_CORRUPT,
          STORAGE_FULL,
          REGISTRY_UNREACHABLE,
          REGISTRY_REFUSED ->
          new PackageException(body);
      case PERMISSION_DENIED,
          DISK_LIMIT,
          TEMPLATE_BUILD_FAILED,
          IMAGE_REFUSED,
          SNAPSHOT_UNTRUSTED,
          SNAPSHOT_DAMAGED,
          SANDBOX_FAILED,
          PROTOCOL_ERROR,
          PORT_NOT_LISTENING,
          PORT_FAILED,
          DEPLOY_FAILED,
          SERVICE_UNAVAILABLE,
          DRIVER_UNAVAILABLE,
          STORAGE_BUSY,
          STORAGE_DAMAGED,
          SHUTTING_DOWN,
          INTERNAL ->
          new ApiException(body, null);
    };
  }

  /** The wait that an answer asks for, given in seconds. */
  static @Nullable Duration retryAfter(HttpAnswer answer) {
    String value = answer.header("Retry-After");
    if (value == null || !value.matches("[0-9]{1,6}")) {
      return null;
    }
    return Duration.ofSeconds(Long.parseLong(value));
  }

  private static ErrorBody body(HttpAnswer answer) {
    try {
      byte[] bytes = answer.body().readNBytes(MAX_BODY);
      ErrorBody body = Json.lenient().readValue(bytes, ErrorBody.class);
      if (body.code() != null && body.message() != null && body.requestId() != null) {
        return body;
      }
      return foreign(answer, new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException | JacksonException e) {
      return foreign(answer, "");
    }
  }

  /** For answers that are not Atoll's: a proxy on the way, another server at that address. */
  private static ErrorBody foreign(HttpAnswer answer, String text) {
    String requestId = answer.header("X-Request-Id");
    if (answer.status() == 401) {
      return new ErrorBody(
          ErrorCode.UNAUTHENTICATED,
          "the server does not accept the API key",
          "set ATOLL_API_KEY to a key of this server",
          requestId == null ? "" : requestId,
          Map.of());
    }
    return new ErrorBody(
        ErrorCode.INTERNAL,
        "the server answered with HTTP status "
            + answer.status()
            + (text.isBlank() ? "" : ": ")
            + text.substring(0, Math.min(200, text.length())),
        "check that the URL is that of an Atoll server",
        requestId == null ? "" : requestId,
        Map.of("status", answer.status()));
  }
}
