package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The closed list of what can go wrong, stable across releases; described in {@code
 * docs/errors.md}.
 */
public enum ErrorCode {
  /**
   * The request is not well formed: invalid JSON, invalid UTF-8, or a parameter of the wrong type.
   */
  BAD_REQUEST("bad_request", 400),
  /** The request holds a field that this API does not have. */
  UNKNOWN_FIELD("unknown_field", 400),
  /** A value is out of its range or makes no sense. */
  INVALID_ARGUMENT("invalid_argument", 400),
  /** No API key was given, or the key is unknown or revoked. */
  UNAUTHENTICATED("unauthenticated", 401),
  /** The key is valid but may not do this. */
  FORBIDDEN("forbidden", 403),
  /** There is no such resource in this project. */
  NOT_FOUND("not_found", 404),
  /** There is no sandbox of that id or name in this project. */
  SANDBOX_NOT_FOUND("sandbox_not_found", 404),
  /** There is no template of that name. */
  TEMPLATE_NOT_FOUND("template_not_found", 404),
  /** There is no snapshot of that id or name in this project. */
  SNAPSHOT_NOT_FOUND("snapshot_not_found", 404),
  /** There is no warm pool of that id or name in this project. */
  POOL_NOT_FOUND("pool_not_found", 404),
  /** There is no service of that id or name in this project. */
  SERVICE_NOT_FOUND("service_not_found", 404),
  /** There is no secret of that name in this project. */
  SECRET_NOT_FOUND("secret_not_found", 404),
  /** The sandbox has no context of that name. */
  CONTEXT_NOT_FOUND("context_not_found", 404),
  /** The sandbox has no process or run of that id. */
  PROCESS_NOT_FOUND("process_not_found", 404),
  /** There is no file at that path in the sandbox. */
  FILE_NOT_FOUND("file_not_found", 404),
  /** The path exists but not with this method. */
  METHOD_NOT_ALLOWED("method_not_allowed", 405),
  /** The resource is in a state in which this cannot be done. */
  CONFLICT("conflict", 409),
  /** Another live sandbox of the project has that name. */
  NAME_TAKEN("name_taken", 409),
  /** The idempotency key was used before with another request. */
  IDEMPOTENCY_MISMATCH("idempotency_mismatch", 409),
  /** There is already something at that path. */
  FILE_EXISTS("file_exists", 409),
  /** The sandbox is paused, terminated or failed. */
  SANDBOX_NOT_RUNNING("sandbox_not_running", 409),
  /** The two states have no common origin. */
  NOT_RELATED("not_related", 409),
  /**
   * The snapshot cannot be restored here: another driver, another version of it, or its files are
   * gone.
   */
  SNAPSHOT_INCOMPATIBLE("snapshot_incompatible", 409),
  /** The files of a snapshot, or of the state in which a sandbox sleeps, are damaged or gone. */
  SNAPSHOT_DAMAGED("snapshot_damaged", 409),
  /** The snapshot holds memory, and was not exported by a server that is trusted here. */
  SNAPSHOT_UNTRUSTED("snapshot_untrusted", 403),
  /** The context is executing something else. */
  BUSY("busy", 409),
  /** The run does not wait for an answer to that question, or not any more. */
  INPUT_NOT_AWAITED("input_not_awaited", 409),
  /** The kernel of that context cannot ask questions. */
  INPUT_UNSUPPORTED("input_unsupported", 422),
  /** The path is not a directory. */
  NOT_A_DIRECTORY("not_a_directory", 409),
  /** The path is a directory. */
  IS_A_DIRECTORY("is_a_directory", 409),
  /** The directory is not empty and the removal was not recursive. */
  DIRECTORY_NOT_EMPTY("directory_not_empty", 409),
  /** The sandbox existed and has been terminated. */
  GONE("gone", 410),
  /** The request body is larger than the server accepts. */
  TOO_LARGE("too_large", 413),

  /** The address of a request is longer than the server reads. */
  URI_TOO_LONG("uri_too_long", 414),
  /** The body is of a type this operation does not take. */
  UNSUPPORTED_MEDIA_TYPE("unsupported_media_type", 415),
  /** The asked range lies outside the file. */
  RANGE_NOT_SATISFIABLE("range_not_satisfiable", 416),
  /** The sandbox has no kernel for that language. */
  UNSUPPORTED_LANGUAGE("unsupported_language", 422),
  /** The program does not exist or cannot be executed in the sandbox. */
  COMMAND_NOT_FOUND("command_not_found", 422),
  /** The registry has no package of that name. */
  PACKAGE_NOT_FOUND("package_not_found", 422),
  /** The registry has the package, but not in a version that was asked for and works here. */
  PACKAGE_VERSION_NOT_FOUND("package_version_not_found", 422),
  /** The packages that were asked for cannot be installed together. */
  PACKAGE_CONFLICT("package_conflict", 422),
  /** The package has to be compiled, and that failed. */
  PACKAGE_BUILD_FAILED("package_build_failed", 422),
  /** The package manager failed for another reason. */
  PACKAGE_FAILED("package_failed", 422),
  /** A deployment of a service failed; what served before goes on. */
  DEPLOY_FAILED("deploy_failed", 422),
  /** What came from the registry is not what its index promises. */
  PACKAGE_CORRUPT("package_corrupt", 502),
  /**
   * What a registry sent as an image is not what its digests promise, or no image that can be used;
   * nothing of it is kept.
   */
  IMAGE_REFUSED("image_refused", 502),
  /** The registry does not answer. */
  REGISTRY_UNREACHABLE("registry_unreachable", 502),
  /** The sandbox's network policy does not let it reach the registry. */
  REGISTRY_REFUSED("registry_refused", 403),
  /** The sandbox user may not do this to that file. */
  PERMISSION_DENIED("permission_denied", 403),
  /** The project is at its limit. */
  QUOTA_EXCEEDED("quota_exceeded", 429),
  /** The project makes the server hold as much memory as it may. */
  OVERLOADED("overloaded", 429),
  /** The sandbox has used up its disk. */
  DISK_LIMIT("disk_limit", 507),
  /** The server's own disk is full. */
  STORAGE_FULL("storage_full", 507),
  /** Another process holds the server's database. */
  STORAGE_BUSY("storage_busy", 503),
  /** The server's database is damaged. */
  STORAGE_DAMAGED("storage_damaged", 500),
  /** The template could not be built. */
  TEMPLATE_BUILD_FAILED("template_build_failed", 500),
  /** The sandbox died; its reason is in the details. */
  SANDBOX_FAILED("sandbox_failed", 502),
  /** The sandbox broke the protocol and was ended. */
  PROTOCOL_ERROR("protocol_error", 502),
  /** No program in the sandbox listens on that port. */
  PORT_NOT_LISTENING("port_not_listening", 502),
  /** The program behind a port hung up, or gave no answer that is HTTP. */
  PORT_FAILED("port_failed", 502),
  /** The host has not enough memory left for what was asked; nothing of it was done. */
  INSUFFICIENT_MEMORY("insufficient_memory", 503),
  /** No instance of the service could take the request in time. */
  SERVICE_UNAVAILABLE("service_unavailable", 503),
  /** No isolation driver works on this host. */
  DRIVER_UNAVAILABLE("driver_unavailable", 503),
  /** The server is stopping. */
  SHUTTING_DOWN("shutting_down", 503),
  /** The sandbox did not answer in time. */
  TIMEOUT("timeout", 504),
  /** Something broke inside Atoll. */
  INTERNAL("internal", 500);

  private static final Map<String, ErrorCode> BY_WIRE =
      Stream.of(values())
          .collect(Collectors.toUnmodifiableMap(ErrorCode::wire, Function.identity()));

  private final String wire;
  private final int httpStatus;

  ErrorCode(String wire, int httpStatus) {
    this.wire = wire;
    this.httpStatus = httpStatus;
  }

  /** The code of that wire name; a name this version does not know reads as {@link #INTERNAL}. */
  @JsonCreator
  public static ErrorCode of(String wire) {
    return BY_WIRE.getOrDefault(wire, INTERNAL);
  }

  /** The name on the wire, such as {@code sandbox_not_found}. */
  @JsonValue
  public String wire() {
    return wire;
  }

  /** The HTTP status that goes with this code. */
  public int httpStatus() {
    return httpStatus;
  }
}
