package dev.atoll.server.it;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * An authority that only tests trust. It is kept with the templates, which hold its certificate and
 * would have to be made anew for another one.
 */
final class TestAuthority {
  private static final String PASSWORD = "changeit";
  private static final List<String> KEYS = List.of("-keyalg", "EC", "-validity", "3650");

  private final Path folder;

  TestAuthority(Path home) throws IOException, InterruptedException {
    folder = home.resolve("test-authority");
    if (!Files.exists(folder.resolve("authority.pem"))) {
      Files.createDirectories(folder);
      Files.deleteIfExists(folder.resolve("authority.p12"));
      keytool(
          "authority.p12",
          "-genkeypair",
          KEYS,
          "-dname",
          "CN=Atoll tests",
          "-ext",
          "bc:c",
          "-ext",
          "ku:c=keyCertSign,cRLSign");
      keytool("authority.p12", "-exportcert", List.of("-rfc"), "-file", path("authority.pem"));
    }
  }

  /**
   * The host's certificates and this authority's, as a host with an authority of its own has it.
   */
  Path bundle() throws IOException {
    Path bundle = folder.resolve("bundle.crt");
    Path usual = Path.of("/etc/ssl/certs/ca-certificates.crt");
    String text =
        (Files.exists(usual) ? Files.readString(usual) : "")
            + Files.readString(folder.resolve("authority.pem"));
    return Files.writeString(bundle, text);
  }

  /** What a server needs to be believed to have these names. */
  SSLContext serving(List<String> names)
      throws IOException, InterruptedException, GeneralSecurityException {
    Files.deleteIfExists(folder.resolve("server.p12"));
    String alternatives = "san=" + String.join(",", names.stream().map(n -> "dns:" + n).toList());
    keytool("server.p12", "-genkeypair", KEYS, "-dname", "CN=" + names.getFirst());
    keytool("server.p12", "-certreq", List.of(), "-file", path("server.csr"));
    keytool(
        "authority.p12",
        "-gencert",
        List.of("-validity", "3650", "-rfc"),
        "-ext",
        alternatives,
        "-infile",
        path("server.csr"),
        "-outfile",
        path("server.pem"));
    Files.writeString(
        folder.resolve("chain.pem"),
        Files.readString(folder.resolve("server.pem"))
            + Files.readString(folder.resolve("authority.pem")));
    keytool("server.p12", "-importcert", List.of("-noprompt"), "-file", path("chain.pem"));
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(folder.resolve("server.p12"))) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private String path(String file) {
    return folder.resolve(file).toString();
  }

  private void keytool(String store, String command, List<String> options, String... more)
      throws IOException, InterruptedException {
    List<String> line =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
    line.addAll(
        List.of(command, "-keystore", path(store), "-storepass", PASSWORD, "-alias", "only"));
    line.addAll(options);
    line.addAll(List.of(more));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(command + " failed: " + output);
    }
  }
}
