package dev.atoll.engine.secret;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes certificates, with everything that strict clients look for. */
final class Certificates {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Duration CLOCK_SKEW = Duration.ofHours(1);
  private static final int SERIAL_BITS = 127;

  private Certificates() {}

  /** One that signs itself and others. */
  static X509Certificate authority(String project, KeyPair pair, Duration life)
      throws GeneralSecurityException {
    X500Name name = name("Atoll project " + project);
    try {
      X509v3CertificateBuilder builder = builder(name, name, pair.getPublic(), life);
      JcaX509ExtensionUtils ids = new JcaX509ExtensionUtils();
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      builder.addExtension(
          Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      builder.addExtension(
          Extension.subjectKeyIdentifier, false, ids.createSubjectKeyIdentifier(pair.getPublic()));
      return signed(builder, pair.getPrivate());
    } catch (CertIOException e) {
      throw new GeneralSecurityException(e);
    }
  }

  /** One for a host, signed by an authority. */
  static X509Certificate leaf(
      String host, PublicKey key, X509Certificate authority, PrivateKey signer, Duration life)
      throws GeneralSecurityException {
    X500Name issuer = new JcaX509CertificateHolder(authority).getSubject();
    // A common name has at most 64 characters; what counts is the alternative name.
    X500Name subject = name(host.length() <= 64 ? host : "host");
    try {
      X509v3CertificateBuilder builder = builder(issuer, subject, key, life);
      JcaX509ExtensionUtils ids = new JcaX509ExtensionUtils();
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
      builder.addExtension(
          Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
      builder.addExtension(
          Extension.subjectKeyIdentifier, false, ids.createSubjectKeyIdentifier(key));
      builder.addExtension(
          Extension.authorityKeyIdentifier,
          false,
          ids.createAuthorityKeyIdentifier(authority.getPublicKey()));
      return signed(builder, signer);
    } catch (CertIOException e) {
      throw new GeneralSecurityException(e);
    }
  }

  private static X500Name name(String common) {
    String shown = common.length() <= 64 ? common : common.substring(0, 64);
    return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, shown).build();
  }

  @SuppressWarnings("JavaUtilDate") // What the library takes.
  private static X509v3CertificateBuilder builder(
      X500Name issuer, X500Name subject, PublicKey key, Duration life) {
    Instant now = Instant.now();
    return new JcaX509v3CertificateBuilder(
        issuer,
        new BigInteger(SERIAL_BITS, RANDOM).add(BigInteger.ONE),
        Date.from(now.minus(CLOCK_SKEW)),
        Date.from(now.plus(life)),
        subject,
        key);
  }

  private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey key)
      throws GeneralSecurityException {
    try {
      return new JcaX509CertificateConverter()
          .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
    } catch (OperatorCreationException e) {
      throw new GeneralSecurityException(e);
    }
  }
}
