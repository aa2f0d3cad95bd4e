package dev.atoll.server.http;

import dev.atoll.engine.FileUrlClaim;
import dev.atoll.engine.FileUrls;
import dev.atoll.model.FileUrlMethod;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** What a URL of a file says that it is good for, and the signature under it; not yet checked. */
record SignedFileUrl(FileUrlClaim claim, String signature) {
  /** The second after which times can no longer be told, far beyond what is ever signed. */
  private static final long LAST_SECOND = 253_402_300_799L;

  /** The URL of a request; null when it is not signed at all. */
  static @Nullable SignedFileUrl of(Request request, RouteMatch.Found found) {
    Query query = Query.parse(request.getHttpURI().getQuery(), found.route().query());
    String signature = query.text("signature");
    if (signature == null) {
      return null;
    }
    FileUrlMethod method =
        found.route().method().equals("GET") ? FileUrlMethod.GET : FileUrlMethod.PUT;
    long most = query.number("maxBytes", -1, 0, Long.MAX_VALUE);
    FileUrlClaim claim =
        new FileUrlClaim(
            found.values().getFirst(),
            method,
            query.path(),
            query.number("expires", 0, 0, LAST_SECOND),
            most < 0 ? null : (Long) most);
    return new SignedFileUrl(claim, signature);
  }

  /** Where to use it: the server under the name that the caller has for it. */
  static String address(Request request, FileUrls.Signed signed) {
    FileUrlClaim claim = signed.claim();
    HttpURI own = request.getHttpURI();
    String authority =
        own.getAuthority() == null
            ? Request.getServerName(request) + ":" + Request.getServerPort(request)
            : own.getAuthority();
    return "%s://%s/v1/sandboxes/%s/files/signed?path=%s&expires=%d%s&signature=%s"
        .formatted(
            own.getScheme(),
            authority,
            claim.sandbox(),
            PercentCoding.encode(claim.path()),
            claim.expires(),
            claim.maxBytes() == null ? "" : "&maxBytes=" + claim.maxBytes(),
            signed.signature());
  }
}
