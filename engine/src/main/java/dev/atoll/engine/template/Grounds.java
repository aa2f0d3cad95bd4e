package dev.atoll.engine.template;

import dev.atoll.engine.image.Unpacker;
import dev.atoll.engine.jail.Jailer;
import dev.atoll.engine.net.GuardedProxy;
import dev.atoll.engine.oci.ImagePuller;
import dev.atoll.engine.tree.TreeDirectory;
import dev.atoll.engine.trust.HostCertificates;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the root file systems that templates stand on: Debian, an image, or an archive.
 *
 * @param proxies through which archives are fetched
 * @param passwords of the projects
 * @param jailer for what Debian's packages run while they are installed
 */
public record Grounds(
    ImagePuller images,
    ImagePuller.Proxies proxies,
    Passwords passwords,
    Jailer jailer,
    Unpacker unpacker,
    long mostBytes) {
  private static final Duration CONNECT = Duration.ofSeconds(20);
  private static final Duration WHOLE = Duration.ofMinutes(30);

  /** Finds what a recipe's credentials stand for. */
  public interface Passwords {
    /** The value of a project's secret, which must be bound to that registry. */
    Password of(String project, String secret, String registry);
  }

  /**
   * The value of a secret.
   *
   * @param domains that it is bound to
   */
  public record Password(String value, List<String> domains) {
    public Password {
      domains = List.copyOf(domains);
    }

    /** Without the value. */
    @Override
    public String toString() {
      return "Password" + domains;
    }
  }

  /** Finds out which image a recipe means now. */
  public ImagePuller.Found find(Base base, BuildScope scope) {
    String reference = String.valueOf(base.image());
    scope.progress("looking for the image " + reference);
    return images.find(reference, credentials(base, scope), scope::stopping);
  }

  /**
   * Makes what a plan stands on, under its name.
   *
   * @param aside a folder to work in
   */
  void make(BuildPlan plan, Path target, Path aside, BuildScope scope) throws IOException {
    Base base = plan.recipe().base();
    if (base.debian() != null) {
      new DebianBase(jailer).make(plan.recipe(), target, aside, scope);
      return;
    }
    Path root = TreeDirectory.makeRoot(aside.resolve("ground"));
    if (base.image() != null) {
      pull(plan, root, aside, scope);
    } else if (base.tarball() != null) {
      unpack(base, root, aside, scope);
    } else {
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED,
          "template " + base.template() + " is gone, on which this one is built");
    }
    scope.check();
    Bench.install(root, target);
  }

  private void pull(BuildPlan plan, Path root, Path aside, BuildScope scope) throws IOException {
    Base base = plan.recipe().base();
    String reference = String.valueOf(base.image());
    scope.progress("fetching the image " + reference);
    Path layers = Files.createDirectory(aside.resolve("layers"));
    images.pull(
        reference,
        plan.ground().image(),
        credentials(base, scope),
        root,
        layers,
        scope::progress,
        scope::stopping);
  }

  private ImagePuller.@Nullable Credentials credentials(Base base, BuildScope scope) {
    Base.ImageAuth auth = base.auth();
    if (auth == null) {
      return null;
    }
    String registry = ImagePuller.registry(String.valueOf(base.image()));
    Password password = passwords.of(scope.project(), auth.secret(), registry);
    return new ImagePuller.Credentials(auth.username(), password.value(), password.domains());
  }

  private void unpack(Base base, Path root, Path aside, BuildScope scope) throws IOException {
    Path file = aside.resolve("tarball");
    String source = String.valueOf(base.tarball());
    scope.progress("fetching " + source);
    MessageDigest sha = sha256();
    try (InputStream in = new DigestInputStream(open(source), sha);
        OutputStream out = Files.newOutputStream(file)) {
      new Bounded(in, mostBytes, scope).transferTo(out);
    }
    String digest = HexFormat.of().formatHex(sha.digest());
    if (!digest.equals(base.sha256())) {
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED,
          source + " has the SHA-256 " + digest + ", not what the recipe says",
          "correct base.sha256, if that is what you want");
    }
    scope.progress("unpacking it");
    unpacker.run(
        root, mostBytes, List.of(new Unpacker.Step(Unpacker.Kind.ARCHIVE, file)), scope::stopping);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private InputStream open(String source) throws IOException {
    if (source.startsWith("/")) {
      return Files.newInputStream(Path.of(source));
    }
    GuardedProxy proxy = proxies.open();
    try {
      HttpClient client =
          HttpClient.newBuilder()
              .proxy(
                  ProxySelector.of(
                      new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port())))
              .connectTimeout(CONNECT)
              .followRedirects(HttpClient.Redirect.NORMAL)
              .sslContext(HostCertificates.tls())
              .build();
      HttpResponse<InputStream> answer =
          client.send(
              HttpRequest.newBuilder(URI.create(source)).timeout(WHOLE).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      if (answer.statusCode() != 200) {
        throw new IOException(
            proxy.refused().isEmpty() ? "the answer is " + answer.statusCode() : proxy.refused());
      }
      return new Closing(answer.body(), proxy, client);
    } catch (IOException e) {
      proxy.close();
      throw unreachable(source, proxy.refused().isEmpty() ? e.getMessage() : proxy.refused(), e);
    } catch (GeneralSecurityException e) {
      proxy.close();
      throw new IOException(e);
    } catch (InterruptedException e) {
      proxy.close();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static AtollException unreachable(String source, @Nullable String why, Exception cause) {
    return new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        source + " is not to be had: " + why,
        "hosts without TLS or at private addresses have to be named in template.insecure-hosts",
        Map.of(),
        cause);
  }

  /** Takes the client and its proxy along when it is closed. */
  private static final class Closing extends FilterInputStream {
    private final GuardedProxy proxy;
    private final HttpClient client;

    Closing(InputStream in, GuardedProxy proxy, HttpClient client) {
      super(in);
      this.proxy = proxy;
      this.client = client;
    }

    @Override
    public void close() throws IOException {
      super.close();
      proxy.close();
      client.shutdownNow();
    }
  }

  /** Ends with an error when more comes than may, or when the build is cancelled. */
  private static final class Bounded extends FilterInputStream {
    private final BuildScope scope;
    private long left;

    Bounded(InputStream in, long most, BuildScope scope) {
      super(in);
      this.left = most;
      this.scope = scope;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      scope.check();
      int n = super.read(bytes, offset, length);
      left -= Math.max(0, n);
      if (left < 0) {
        throw new IOException("it is larger than a template may be");
      }
      return n;
    }
  }
}
