package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Java libraries, as Maven, Gradle and the kernel of Java ask for them:
 *
 * <pre>
 * GROUP/ARTIFACT/VERSION/FILE       a file, as the repository's checksum beside it promises it
 * …/FILE.sha1                       that checksum; likewise .sha256, .sha512 and .md5
 * GROUP/ARTIFACT/maven-metadata.xml the versions of a library: a page
 * </pre>
 *
 * What has no checksum is passed on and not kept.
 */
final class MavenRepository {
  private static final String METADATA = "maven-metadata.xml";
  private static final String SNAPSHOT = "-SNAPSHOT";
  private static final Pattern PART = Pattern.compile("[A-Za-z0-9_~][A-Za-z0-9._+~$@,=-]*");
  private static final int MOST_PARTS = 64;

  private final Upstreams upstreams;
  private final Pages pages;
  private final PackageFiles files;
  private final MavenChecksums checksums;

  MavenRepository(Upstreams upstreams, Pages pages, PackageFiles files) {
    this.upstreams = upstreams;
    this.pages = pages;
    this.files = files;
    this.checksums = new MavenChecksums(pages);
  }

  /**
   * Answers a request.
   *
   * @param path the parts of what follows {@code /maven/}
   */
  Answer answer(List<String> path) throws IOException {
    boolean plain =
        path.size() <= MOST_PARTS && path.stream().allMatch(part -> PART.matcher(part).matches());
    if (!plain || path.isEmpty()) {
      return Answer.missing("such file");
    }
    String name = path.getLast();
    String whole = String.join("/", path);
    // A page of a version that still changes is one of its snapshots.
    boolean changes = path.stream().anyMatch(part -> part.endsWith(SNAPSHOT));
    MavenChecksums.Form form = MavenChecksums.form(name);
    if (form == null) {
      return name.equals(METADATA) ? metadata(whole) : file(whole, changes);
    }
    int ending = form.ending().length() + 1;
    String of = whole.substring(0, whole.length() - ending);
    return name.length() == METADATA.length() + ending && name.startsWith(METADATA)
        ? metadataChecksum(of, form)
        : checksum(of, form, changes);
  }

  private Answer metadata(String path) throws IOException {
    Page page = pages.get(page(path));
    return page == null ? Answer.missing(path) : page.answer();
  }

  /** Of the page that is given here: the repository's own may have changed since. */
  private Answer metadataChecksum(String path, MavenChecksums.Form form) throws IOException {
    Page page = pages.known(page(path));
    if (page == null) {
      return Answer.missing(path);
    }
    MessageDigest digest = digest(form);
    try (Answer answer = page.answer();
        OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
      answer.body().writeTo(out);
    }
    return Answer.of(
        "text/plain",
        Body.of(HexFormat.of().formatHex(digest.digest()).getBytes(StandardCharsets.US_ASCII)));
  }

  private static MessageDigest digest(MavenChecksums.Form form) {
    try {
      return MessageDigest.getInstance(form.algorithm());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + form.algorithm(), e);
    }
  }

  private Answer checksum(String of, MavenChecksums.Form form, boolean changes) throws IOException {
    Page page = checksums.page(address(of), form, changes);
    return page == null ? Answer.missing(of + "." + form.ending()) : page.answer();
  }

  private Answer file(String path, boolean changes) throws IOException {
    URI address = address(path);
    Promise promise = checksums.promise(address, changes);
    try {
      return Answer.of(type(path), files.open(promise, address));
    } catch (MissingException e) {
      return Answer.missing(path);
    }
  }

  private static String type(String path) {
    return path.endsWith(".pom") || path.endsWith(".xml")
        ? "application/xml"
        : "application/octet-stream";
  }

  private Pages.Wanted page(String path) throws IOException {
    return new Pages.Wanted(
        address(path),
        "*/*",
        (from, to, named) -> {
          from.body().transferTo(to);
          return "application/xml";
        });
  }

  private URI address(String path) throws IOException {
    List<URI> repositories = upstreams.maven();
    if (repositories.isEmpty()) {
      throw new IOException("the server knows no repository of Java libraries; set packages.maven");
    }
    String base = repositories.getFirst().toString();
    return URI.create((base.endsWith("/") ? base : base + "/") + path);
  }
}
