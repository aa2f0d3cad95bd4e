package dev.atoll.engine.inject;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Whom the server believes to be a secret's domain: those who the host's own certificates, Java's,
 * and those that the administrator has added vouch for. Their certificate has to be for the name
 * that was asked for.
 */
final class Trust {
  private static final Path HOST = Path.of("/etc/ssl/certs/ca-certificates.crt");

  private final @Nullable Path more;
  private @Nullable SSLContext context;

  Trust(@Nullable Path more) {
    this.more = more;
  }

  /** Speaks TLS on an open connection, once the other side has proved to be that host. */
  SSLSocket secure(Socket open, String host, int port, int timeoutMillis) throws IOException {
    SSLSocket socket =
        (SSLSocket) context().getSocketFactory().createSocket(open, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    parameters.setServerNames(List.of(new SNIHostName(host)));
    parameters.setApplicationProtocols(new String[] {"http/1.1"});
    socket.setSSLParameters(parameters);
    open.setSoTimeout(timeoutMillis);
    socket.startHandshake();
    open.setSoTimeout(0);
    return socket;
  }

  private synchronized SSLContext context() throws IOException {
    if (context == null) {
      try {
        TrustManagerFactory managers = factory(certificates());
        SSLContext fresh = SSLContext.getInstance("TLS");
        fresh.init(null, managers.getTrustManagers(), null);
        context = fresh;
      } catch (GeneralSecurityException e) {
        throw new IOException("the trusted certificates cannot be used", e);
      }
    }
    return context;
  }

  private KeyStore certificates() throws GeneralSecurityException, IOException {
    KeyStore all = KeyStore.getInstance("PKCS12");
    all.load(null, null);
    for (TrustManager manager : factory(null).getTrustManagers()) {
      if (manager instanceof X509TrustManager usual) {
        for (X509Certificate certificate : usual.getAcceptedIssuers()) {
          all.setCertificateEntry("java-" + all.size(), certificate);
        }
      }
    }
    if (Files.isReadable(HOST)) {
      add(all, HOST);
    }
    if (more != null) {
      add(all, more);
    }
    return all;
  }

  private static TrustManagerFactory factory(@Nullable KeyStore store)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory;
  }

  private static void add(KeyStore all, Path file) throws GeneralSecurityException, IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        all.setCertificateEntry(file.getFileName() + "-" + all.size(), certificate);
      }
    }
  }
}
