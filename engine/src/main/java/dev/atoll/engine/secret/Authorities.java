package dev.atoll.engine.secret;

import dev.atoll.engine.store.SecretRows;
import dev.atoll.model.AtollException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What signs for the domains of a project's secrets, so that the server can stand in for them
 * towards the project's own sandboxes. Made when it is first needed; nobody else trusts it.
 */
public final class Authorities {
  private static final Logger LOG = LoggerFactory.getLogger(Authorities.class);
  private static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);
  private static final Duration RENEW_BEFORE = Duration.ofDays(90);
  private static final Duration LEAF_LIFE = Duration.ofDays(2);
  private static final Duration LEAF_USE = Duration.ofDays(1);
  private static final int MAX_LEAVES = 1000;
  private static final String PLACE = "authority";

  private final SecretRows rows;
  private final Seal seal;
  private final Map<String, Signer> signers = new ConcurrentHashMap<>();
  private final Map<String, Leaf> leaves = new ConcurrentHashMap<>();

  private record Signer(X509Certificate certificate, PrivateKey key) {}

  private record Leaf(SSLContext context, Instant until) {}

  Authorities(SecretRows rows, Seal seal) {
    this.rows = rows;
    this.seal = seal;
  }

  /** The project's certificate, as PEM, for its sandboxes to trust. */
  public String certificate(String project) {
    try {
      return "-----BEGIN CERTIFICATE-----\n"
          + Base64.getMimeEncoder(64, new byte[] {'\n'})
              .encodeToString(signer(project).certificate().getEncoded())
          + "\n-----END CERTIFICATE-----\n";
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** For speaking TLS as that host to the project's sandboxes. */
  public SSLContext context(String project, String host) {
    Instant now = Instant.now();
    if (leaves.size() > MAX_LEAVES) {
      leaves.clear();
    }
    return leaves
        .compute(
            project + "\0" + host,
            (_, leaf) ->
                leaf != null && leaf.until().isAfter(now)
                    ? leaf
                    : new Leaf(leaf(project, host), now.plus(LEAF_USE)))
        .context();
  }

  private SSLContext leaf(String project, String host) {
    try {
      Signer signer = signer(project);
      KeyPair pair = newKey();
      X509Certificate certificate =
          Certificates.leaf(host, pair.getPublic(), signer.certificate(), signer.key(), LEAF_LIFE);
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      char[] none = new char[0];
      store.setKeyEntry(
          "leaf",
          pair.getPrivate(),
          none,
          new X509Certificate[] {certificate, signer.certificate()});
      KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
      managers.init(store, none);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("no certificate could be made for " + host, e);
    }
  }

  private Signer signer(String project) {
    return signers.computeIfAbsent(project, this::load);
  }

  private Signer load(String project) {
    try {
      SecretRows.Authority row = rows.authority(project).orElse(null);
      if (row != null) {
        Signer stored = open(row);
        Instant renew = stored.certificate().getNotAfter().toInstant().minus(RENEW_BEFORE);
        if (renew.isAfter(Instant.now())) {
          return stored;
        }
      }
    } catch (AtollException e) {
      LOG.warn("the authority of {} is made anew: {}", project, e.getMessage());
    }
    return make(project);
  }

  private Signer open(SecretRows.Authority row) {
    try {
      byte[] key = seal.open(new Seal.Sealed(row.key(), row.sealed()), PLACE, row.project());
      return new Signer(
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(row.certificate())),
          KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the authority of " + row.project() + " is broken", e);
    }
  }

  private Signer make(String project) {
    try {
      KeyPair pair = newKey();
      X509Certificate certificate = Certificates.authority(project, pair, AUTHORITY_LIFE);
      store(project, certificate.getEncoded(), pair.getPrivate().getEncoded());
      return new Signer(certificate, pair.getPrivate());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no authority could be made for " + project, e);
    }
  }

  private void store(String project, byte[] certificate, byte[] key) {
    Seal.Sealed sealed = seal.seal(key, PLACE, project);
    rows.put(new SecretRows.Authority(project, certificate, sealed.key(), sealed.bytes()));
  }

  /** Seals with the current key what an older one has sealed. */
  void renew() {
    for (SecretRows.Authority row : rows.authorities()) {
      try {
        if (!seal.isCurrent(row.key())) {
          byte[] key = seal.open(new Seal.Sealed(row.key(), row.sealed()), PLACE, row.project());
          store(row.project(), row.certificate(), key);
        }
      } catch (AtollException e) {
        LOG.warn("the authority of {}: {}", row.project(), e.getMessage());
      }
    }
  }

  private static KeyPair newKey() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }
}
