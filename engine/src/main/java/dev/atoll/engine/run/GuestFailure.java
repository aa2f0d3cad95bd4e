package dev.atoll.engine.run;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.wire.Failed;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells a caller what a guest said that it could not do. */
public final class GuestFailure {
  private static final int MAX_MESSAGE = 1000;

  /** How the agent begins when it could not change to the directory that was asked for. */
  private static final String DIRECTORY = "working directory ";

  private GuestFailure() {}

  /** The exception for a Failed frame about a file. */
  public static AtollException ofFile(Failed failed, String path) {
    return of(failed, path, ErrorCode.FILE_NOT_FOUND);
  }

  static AtollException ofProgram(Failed failed, String program) {
    String said = failed.getMessage();
    return said.startsWith(DIRECTORY)
        ? ofDirectory(failed, said.length() > MAX_MESSAGE ? said.substring(0, MAX_MESSAGE) : said)
        : of(failed, program, ErrorCode.COMMAND_NOT_FOUND);
  }

  /** The program may well be there: it is the place to start it in that is not. */
  private static AtollException ofDirectory(Failed failed, String message) {
    ErrorCode code =
        switch (failed.getReason()) {
          case NOT_FOUND -> ErrorCode.FILE_NOT_FOUND;
          case NOT_A_DIRECTORY -> ErrorCode.NOT_A_DIRECTORY;
          case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
          default -> ErrorCode.INVALID_ARGUMENT;
        };
    return new AtollException(
        code,
        message,
        "cwd must be a directory of the sandbox that the user may enter",
        Map.of("field", "cwd"),
        null);
  }

  private static AtollException of(Failed failed, String subject, ErrorCode notFound) {
    ErrorCode code =
        switch (failed.getReason()) {
          case INVALID -> ErrorCode.INVALID_ARGUMENT;
          case NOT_FOUND -> notFound;
          case ALREADY_EXISTS -> ErrorCode.FILE_EXISTS;
          case NOT_A_DIRECTORY -> ErrorCode.NOT_A_DIRECTORY;
          case IS_A_DIRECTORY -> ErrorCode.IS_A_DIRECTORY;
          case DIRECTORY_NOT_EMPTY -> ErrorCode.DIRECTORY_NOT_EMPTY;
          case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
          case NO_SPACE -> ErrorCode.DISK_LIMIT;
          case TOO_MANY -> ErrorCode.QUOTA_EXCEEDED;
          case NOT_EXECUTABLE -> ErrorCode.COMMAND_NOT_FOUND;
          case NO_SUCH_USER -> ErrorCode.INVALID_ARGUMENT;
          case NO_SUCH_LANGUAGE -> ErrorCode.UNSUPPORTED_LANGUAGE;
          case BUSY -> ErrorCode.BUSY;
          case IO, UNSPECIFIED, UNRECOGNIZED -> ErrorCode.CONFLICT;
        };
    String said = failed.getMessage();
    String message = said.length() > MAX_MESSAGE ? said.substring(0, MAX_MESSAGE) : said;
    return new AtollException(
        code,
        sentence(subject, message.isBlank() ? code.wire() : message),
        hint(code),
        details(failed, subject, notFound),
        null);
  }

  /** Some guests name the subject themselves. */
  private static String sentence(String subject, String message) {
    return message.startsWith(subject + ":") ? message : subject + ": " + message;
  }

  /** A program that is there but cannot be executed is told apart, as shells do it. */
  private static Map<String, Object> details(Failed failed, String subject, ErrorCode notFound) {
    boolean there =
        notFound == ErrorCode.COMMAND_NOT_FOUND
            && switch (failed.getReason()) {
              case NOT_EXECUTABLE, PERMISSION_DENIED, IS_A_DIRECTORY -> true;
              default -> false;
            };
    return there
        ? Map.of("subject", subject, "reason", "not_executable")
        : Map.of("subject", subject);
  }

  private static @Nullable String hint(ErrorCode code) {
    return switch (code) {
      case COMMAND_NOT_FOUND -> "check the name, and that the template has the program";
      case UNSUPPORTED_LANGUAGE -> "use one of these, or a template that has a kernel for it";
      case DISK_LIMIT -> "remove files, or create the sandbox with a larger diskMiB";
      case PERMISSION_DENIED -> "the sandbox user can write below /home/sandbox and /tmp";
      case FILE_EXISTS -> "set overwrite to replace it";
      case DIRECTORY_NOT_EMPTY -> "set recursive to remove it with its content";
      default -> null;
    };
  }
}
