package dev.atoll.sdk;

import dev.atoll.model.PortAccess;
import dev.atoll.model.PortInfo;
import dev.atoll.model.PortRequest;
import dev.atoll.model.PortShare;
import dev.atoll.model.ShareRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ports that programs in a sandbox listen on, and the ways to them: an address for browsers
 * ({@link #share}, {@link #url}), a connection ({@link #connect}), or a port of this machine
 * ({@link #forward}). A hibernated sandbox wakes for each of them.
 */
public final class SandboxPorts {
  private final Api api;
  private final String sandbox;
  private @Nullable HttpClient http;

  SandboxPorts(Api api, String sandboxPath) {
    this.api = api;
    this.sandbox = sandboxPath;
  }

  /** The ports that are listened on, and those that are public. */
  public List<PortInfo> list() {
    return api.page(ApiRequest.get(sandbox + "/ports"), PortInfo.class).items();
  }

  /** One port, whether a program listens on it or not. */
  public PortInfo get(int port) {
    return api.call(ApiRequest.get(path(port)), PortInfo.class);
  }

  /**
   * Where a browser finds a port. Unless it is public, a request there needs the API key or a
   * token; see {@link #share} for an address that has one in it.
   */
  public String url(int port) {
    return Objects.requireNonNull(get(port).url(), "the server names no address");
  }

  /** Makes a token to a port that is good for a day; its {@code url} lets in who follows it. */
  public PortShare share(int port) {
    return share(new ShareRequest(port, null));
  }

  /** Makes a token to a port that is good for that long. */
  public PortShare share(int port, Duration ttl) {
    return share(new ShareRequest(port, Seconds.of(ttl)));
  }

  private PortShare share(ShareRequest request) {
    return api.call(ApiRequest.post(sandbox + "/shares").json(request), PortShare.class);
  }

  /** The tokens that are still good, without themselves. */
  public List<PortShare> shares() {
    return api.page(ApiRequest.get(sandbox + "/shares"), PortShare.class).items();
  }

  /** Makes a token worthless, from the next request on. */
  public void revoke(String share) {
    api.send(ApiRequest.delete(sandbox + "/shares/" + ApiRequest.segment(share)));
  }

  /** Says who may reach a port: everybody who knows its address, or who has a key or a token. */
  public PortInfo access(int port, PortAccess access) {
    ApiRequest request = ApiRequest.put(path(port)).json(new PortRequest(access));
    return api.call(request.harmlessToRepeat(), PortInfo.class);
  }

  /**
   * Connects to a port, whatever is spoken there.
   *
   * @throws ApiException with the code {@code port_not_listening} if no program listens on it
   */
  public PortStream connect(int port) {
    return PortStream.open(http(), api, sandbox + "/tcp/" + port);
  }

  /**
   * Lets a port of this machine stand for one of the sandbox, on the loopback address.
   *
   * @param local 0 for any free one, see {@link PortForward#local()}
   */
  public PortForward forward(int local, int remote) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), local);
    return forward(address, remote, failure -> {});
  }

  /**
   * The same on another address of this machine.
   *
   * @param onFailure told of each connection that could not be made, on a thread of its own
   */
  public PortForward forward(InetSocketAddress local, int remote, Consumer<ApiException> onFailure)
      throws IOException {
    return PortForward.start(this, local, remote, onFailure);
  }

  private String path(int port) {
    return sandbox + "/ports/" + port;
  }

  /** Made when first needed, since it takes a while and most callers have no need of it. */
  private synchronized HttpClient http() {
    if (http == null) {
      http = HttpClient.newHttpClient();
    }
    return http;
  }
}
