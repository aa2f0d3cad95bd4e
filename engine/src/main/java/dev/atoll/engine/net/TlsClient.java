package dev.atoll.engine.net;

import dev.atoll.engine.trust.HostCertificates;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * TLS for programs that ask the proxy for an {@code https://} address instead of a tunnel, as axios
 * does. Such a program trusts the proxy to check the other side, and so it does: name, chain and
 * dates, by the certificates that sandboxes have too.
 */
final class TlsClient {
  private TlsClient() {}

  /** Read once: a bundle is large, and few programs need this. */
  private static final class Trust {
    static final SSLContext CONTEXT = load();

    private static SSLContext load() {
      try {
        return HostCertificates.tls();
      } catch (GeneralSecurityException | IOException e) {
        throw new IllegalStateException("the host's certificates cannot be read", e);
      }
    }
  }

  /** Greets the host that was asked for; closing the result closes the socket below. */
  static Socket over(Socket plain, Target asked, Duration deadline) throws IOException {
    SSLSocket tls =
        (SSLSocket)
            Trust.CONTEXT.getSocketFactory().createSocket(plain, asked.host(), asked.port(), true);
    SSLParameters parameters = tls.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    if (asked.isName()) {
      parameters.setServerNames(List.of(new SNIHostName(asked.host())));
    }
    tls.setSSLParameters(parameters);
    tls.setSoTimeout(Math.toIntExact(deadline.toMillis()));
    tls.startHandshake();
    tls.setSoTimeout(0);
    return tls;
  }
}
