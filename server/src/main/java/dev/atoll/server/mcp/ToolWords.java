package dev.atoll.server.mcp;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says in the words of the tools what the engine says in those of the API or of a shell. */
final class ToolWords {
  /** Fields of the API that tools have under another name. */
  private static final Map<String, String> FIELDS = new LinkedHashMap<>();

  static {
    FIELDS.put("memoryMiB", "memory_mib");
    FIELDS.put("timeoutSeconds", "timeout_seconds");
    FIELDS.put("ttlSeconds", "ttl_seconds");
    FIELDS.put("timeLimitSeconds", "time_limit_seconds");
    FIELDS.put("memoryLimitMiB", "memory_limit_mib");
    FIELDS.put("expectedOutput", "expected_output");
    FIELDS.put("destroyOthers", "keep_losers");
    FIELDS.put("network.allow", "allow");
    FIELDS.put("network.mode", "network");
  }

  /** Advice for people at a terminal, for programs that speak HTTP, and for administrators. */
  private static final Pattern NOT_FOR_MODELS =
      Pattern.compile(
          "`|\\batoll [a-z]|\\./atoll|(^|\\s)--[a-z]|/v1/|\\bPOST\\b|\\bPUT\\b|\\bSend \"");

  private ToolWords() {}

  static String message(AtollException failure) {
    return translate(String.valueOf(failure.getMessage()));
  }

  /** Something that a model can do; null when there is nothing. */
  static @Nullable String hint(AtollException failure) {
    String hint = failure.hint();
    String own = own(failure.code());
    if (own != null) {
      return own;
    }
    return hint == null || NOT_FOR_MODELS.matcher(hint).find() ? null : translate(hint);
  }

  private static @Nullable String own(ErrorCode code) {
    return switch (code) {
      case SANDBOX_NOT_FOUND ->
          "list_sandboxes shows those that there are; leave sandbox out for the session's own";
      case SNAPSHOT_NOT_FOUND -> "list_snapshots shows those that there are";
      case TEMPLATE_NOT_FOUND -> "leave template out for python";
      case FILE_NOT_FOUND -> "list_files shows what is there";
      case SANDBOX_FAILED, SANDBOX_NOT_RUNNING ->
          "rewind_sandbox brings it back to a snapshot of it; leave sandbox out for the session's"
              + " own, or make another one with create_sandbox";
      case REGISTRY_REFUSED ->
          "make a sandbox that may reach it with create_sandbox: network packages, or allow";
      case NAME_TAKEN -> "choose another name";
      case QUOTA_EXCEEDED -> "end what is not needed any more: close_sandbox, delete_snapshot";
      default -> null;
    };
  }

  private static String translate(String text) {
    String result = text;
    for (Map.Entry<String, String> field : FIELDS.entrySet()) {
      result =
          result.replaceAll(
              "(?<![\\w.-])" + Pattern.quote(field.getKey()) + "(?![\\w-])", field.getValue());
    }
    return result;
  }
}
