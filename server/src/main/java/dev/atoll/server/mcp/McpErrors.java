package dev.atoll.server.mcp;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Visible;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one place where a failure becomes an answer of the protocol: an error of JSON-RPC, or a
 * tool's result that says so, since a model only ever sees the latter.
 */
public final class McpErrors {
  private static final int LONGEST_NAME = 100;

  private McpErrors() {}

  /** The answer to a request that could not even be begun. */
  public static McpSchema.JSONRPCResponse response(@Nullable Object id, Throwable failure) {
    return McpSchema.JSONRPCResponse.error(id == null ? "" : id, error(failure));
  }

  /** What the SDK answers with. */
  static McpError thrown(Throwable failure) {
    return new McpError(error(failure));
  }

  /** What a model is told. */
  static McpSchema.CallToolResult result(Throwable failure) {
    AtollException known = known(failure);
    String advice = ToolWords.hint(known);
    String hint = advice == null ? "" : "\n" + advice;
    return McpSchema.CallToolResult.builder()
        .addTextContent(known.code().wire() + ": " + ToolWords.message(known) + hint)
        .isError(true)
        .build();
  }

  /** In place of the SDK's own answer to a call of a tool that there is not, which names none. */
  static McpSchema.JSONRPCResponse unknownTool(Object id, String name) {
    AtollException unknown =
        new AtollException(
            ErrorCode.INVALID_ARGUMENT,
            "there is no tool " + Visible.line(name, LONGEST_NAME),
            "the tools are " + String.join(", ", McpService.names()));
    return response(id, unknown);
  }

  private static JSONRPCError error(Throwable failure) {
    AtollException known = known(failure);
    Map<String, Object> data = new LinkedHashMap<>(Map.of("code", known.code().wire()));
    if (known.hint() != null) {
      data.put("hint", known.hint());
    }
    data.putAll(known.details());
    return new JSONRPCError(number(known.code()), String.valueOf(known.getMessage()), data);
  }

  private static int number(ErrorCode code) {
    return switch (code) {
      case BAD_REQUEST -> ErrorCodes.INVALID_REQUEST;
      case INVALID_ARGUMENT, UNKNOWN_FIELD -> ErrorCodes.INVALID_PARAMS;
      case FILE_NOT_FOUND, SANDBOX_NOT_FOUND, NOT_FOUND, GONE -> ErrorCodes.RESOURCE_NOT_FOUND;
      default -> ErrorCodes.INTERNAL_ERROR;
    };
  }

  private static AtollException known(Throwable failure) {
    if (failure instanceof AtollException own) {
      return own;
    }
    McpSessions.log.error("a call failed", failure);
    return new AtollException(ErrorCode.INTERNAL, "something broke inside the server");
  }
}
