package dev.atoll.engine.trust;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The authorities that the host trusts, and that sandboxes trust with it: the bundle that {@code
 * SSL_CERT_FILE} names, as for other programs of the host, else Debian's.
 */
public final class HostCertificates {
  /** Where the bundle is in every template. */
  public static final String IN_THE_GUEST = "/etc/ssl/certs/ca-certificates.crt";

  private HostCertificates() {}

  public static Optional<Path> bundle() {
    return Stream.of(System.getenv().getOrDefault("SSL_CERT_FILE", ""), IN_THE_GUEST)
        .filter(name -> !name.isEmpty())
        .map(Path::of)
        .filter(Files::isReadable)
        .findFirst();
  }

  /** TLS that believes whom the host believes; where there is no bundle, whom the JVM believes. */
  public static SSLContext tls() throws GeneralSecurityException, IOException {
    Optional<Path> bundle = bundle();
    if (bundle.isEmpty()) {
      return SSLContext.getDefault();
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(keyStore(bundle.get()));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** The certificates of a bundle as Java wants them; this type needs no password to be read. */
  public static KeyStore keyStore(Path bundle) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(null, null);
    try (InputStream in = Files.newInputStream(bundle)) {
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("host-" + number++, one);
      }
    }
    return store;
  }
}
