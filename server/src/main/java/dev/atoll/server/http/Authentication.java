package dev.atoll.server.http;

import dev.atoll.engine.KeyOwner;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.List;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whose a request is. Whether a key is absent, malformed or unknown, the answer is the
 * same.
 */
final class Authentication {
  private static final String BEARER = "Bearer ";
  private static final int MAX_KEY = 256;

  private final Function<String, @Nullable KeyOwner> ownerOf;
  private final Function<SignedFileUrl, String> projectOf;

  /**
   * With keys and signed URLs.
   *
   * @param projectOf gives the project of a URL whose signature is good, and refuses others
   */
  Authentication(
      Function<String, @Nullable KeyOwner> ownerOf, Function<SignedFileUrl, String> projectOf) {
    this.ownerOf = ownerOf;
    this.projectOf = projectOf;
  }

  /** With keys alone. */
  Authentication(Function<String, @Nullable KeyOwner> ownerOf) {
    this(
        ownerOf,
        _ -> {
          throw refused();
        });
  }

  /** In whose name a signed URL is used; never an administrator's. */
  KeyOwner ownerOfUrl(@Nullable SignedFileUrl url) {
    if (url == null) {
      throw refused();
    }
    return new KeyOwner(projectOf.apply(url), false);
  }

  /** The owner of the key in the headers. */
  KeyOwner owner(Request request) {
    return ownerOfKey(headerKey(request));
  }

  /** The owner of a key, wherever it was found. */
  KeyOwner ownerOfKey(@Nullable String key) {
    KeyOwner owner = key == null || key.length() > MAX_KEY ? null : ownerOf.apply(key);
    if (owner == null) {
      throw refused();
    }
    return owner;
  }

  private static AtollException refused() {
    return new AtollException(
        ErrorCode.UNAUTHENTICATED,
        "a valid API key is needed",
        "Send \"Authorization: Bearer <key>\" or \"X-API-Key: <key>\"; the key of a local server"
            + " is in admin.key of its data directory.");
  }

  /** None when there are several: whoever is in front may have looked at another one. */
  static @Nullable String headerKey(Request request) {
    List<String> keys = request.getHeaders().getValuesList("X-API-Key");
    List<String> authorizations = request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION);
    if (keys.size() > 1 || authorizations.size() > 1) {
      return null;
    }
    if (authorizations.isEmpty()) {
      return keys.isEmpty() ? null : keys.getFirst();
    }
    String authorization = authorizations.getFirst();
    return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? authorization.substring(BEARER.length()).strip()
        : null;
  }
}
