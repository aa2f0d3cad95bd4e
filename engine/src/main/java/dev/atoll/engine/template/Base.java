package dev.atoll.engine.template;

import dev.atoll.engine.oci.ImagePuller;
import dev.atoll.model.TemplateReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a template is built on; exactly one of debian, template, image and tarball.
 *
 * @param debian a release, of which the recipe's packages are installed
 * @param template another template, see {@link TemplateReference}
 * @param image a reference of an image in a registry
 * @param auth who reads that image; null when everybody may
 * @param tarball an archive of a root file system: a URL, or a path of the host in recipes that
 *     come with the server
 * @param sha256 of the tarball
 */
public record Base(
    @Nullable String debian,
    @Nullable String template,
    @Nullable String image,
    @Nullable ImageAuth auth,
    @Nullable String tarball,
    @Nullable String sha256) {

  /**
   * Who reads an image.
   *
   * @param username null when the secret is a token
   * @param secret name of the project's secret that is the password or the token; it must be bound
   *     to the registry's host
   */
  public record ImageAuth(@Nullable String username, String secret) {
    public ImageAuth {
      Recipe.check(secret != null && !secret.isEmpty(), "base.auth.secret", "must name a secret");
    }
  }

  public Base {
    long said = Stream.of(debian, template, image, tarball).filter(one -> one != null).count();
    Recipe.check(said == 1, "base", "must name one of debian, template, image and tarball");
    Recipe.check(
        debian == null || debian.matches("[a-z]+"),
        "base.debian",
        "must be the name of a Debian release");
    if (template != null) {
      TemplateReference.parse(template);
    }
    if (image != null) {
      Recipe.check(image.matches("[\\x21-\\x7e]{1,500}"), "base.image", "must be a reference");
      ImagePuller.registry(image);
    }
    Recipe.check(auth == null || image != null, "base.auth", "is for images");
    Recipe.check(
        tarball == null || tarball.matches("(https?://|/)[\\x21-\\x7e]{1,2000}"),
        "base.tarball",
        "must be a URL");
    Recipe.check(
        (tarball == null) == (sha256 == null), "base.sha256", "goes with a tarball, always");
    Recipe.check(
        sha256 == null || sha256.matches("[0-9a-f]{64}"),
        "base.sha256",
        "must be 64 hexadecimal digits");
  }

  static Base ofDebian(String suite) {
    return new Base(suite, null, null, null, null, null);
  }

  /** Whether only the administrator's recipes may say this. */
  public boolean isLocal() {
    return tarball != null && tarball.startsWith("/");
  }
}
