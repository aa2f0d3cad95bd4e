package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of checksums that a Maven repository has beside each of its files, kept as pages.
 *
 * <p>Those of a release never change. Those of a snapshot do, and grow old like any page.
 */
final class MavenChecksums {
  /** Nobody writes more than a digest and a name. */
  private static final int MOST_BYTES = 4096;

  /** By the ending of the file, what is believed most first. */
  private static final List<Form> TRUSTED =
      List.of(new Form("sha512", 128), new Form("sha256", 64), new Form("sha1", 40));

  private static final Form MD5 = new Form("md5", 32);

  private final Pages pages;

  MavenChecksums(Pages pages) {
    this.pages = pages;
  }

  /**
   * How a digest is written down.
   *
   * @param ending of the file
   * @param digits in hexadecimal
   */
  record Form(String ending, int digits) {
    /** The digest among whatever else tools write beside it. */
    private @Nullable String find(String text) {
      Matcher matcher =
          Pattern.compile("(?<![0-9a-fA-F])[0-9a-fA-F]{" + digits + "}(?![0-9a-fA-F])")
              .matcher(text);
      return matcher.find() ? matcher.group().toLowerCase(Locale.ROOT) : null;
    }

    String algorithm() {
      return ending.equals("md5") ? "MD5" : ending.replace("sha", "SHA-");
    }
  }

  /** What a file of that name holds checksums in; null when it is no such file. */
  static @Nullable Form form(String name) {
    String ending = name.substring(name.lastIndexOf('.') + 1);
    return TRUSTED.stream()
        .filter(form -> form.ending().equals(ending))
        .findFirst()
        .orElse(ending.equals(MD5.ending()) ? MD5 : null);
  }

  /** The checksum of a file as the repository has it; null when it has none. */
  @Nullable Page page(URI file, Form form, boolean changes) throws IOException {
    Pages.Wanted wanted = wanted(file, form);
    return changes ? pages.get(wanted) : pages.known(wanted);
  }

  /** What the repository says that a file is; null when it says nothing. */
  @Nullable Promise promise(URI file, boolean changes) throws IOException {
    for (Form form : changes ? List.<Form>of() : TRUSTED) {
      Page kept = pages.kept(wanted(file, form));
      if (kept != null) {
        return promised(kept);
      }
    }
    return asked(file, changes);
  }

  /** All at once: most repositories have only some of them, and that is known by asking alone. */
  private @Nullable Promise asked(URI file, boolean changes) throws IOException {
    try (ExecutorService asking = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<Page>>> asked = new ArrayList<>();
      for (Form form : TRUSTED) {
        asked.add(asking.submit(() -> Optional.ofNullable(page(file, form, changes))));
      }
      for (Future<Optional<Page>> one : asked) {
        Optional<Page> page = one.get();
        if (page.isPresent()) {
          return promised(page.get());
        }
      }
      return null;
    } catch (ExecutionException e) {
      // None of them is passed over: the next best may be what somebody wants to have believed.
      throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static @Nullable Promise promised(Page page) throws IOException {
    Page.NamedFile named = page.find("");
    return named == null ? null : Promise.ofKey(named.digest());
  }

  private static Pages.Wanted wanted(URI file, Form form) {
    return new Pages.Wanted(
        URI.create(file + "." + form.ending()),
        "*/*",
        (from, to, files) -> translate(form, from, to, files));
  }

  private static String translate(
      Form form, Fetcher.Fetched from, OutputStream to, Pages.FileList files) throws IOException {
    byte[] bytes = from.body().readNBytes(MOST_BYTES);
    String digest = form.find(new String(bytes, StandardCharsets.ISO_8859_1));
    if (digest == null) {
      throw new CorruptException(
          "what %s has for a checksum is none (%s)".formatted(from.address().getHost(), form));
    }
    files.add(new Page.NamedFile("", "", form.ending() + "-" + digest, null));
    to.write(digest.getBytes(StandardCharsets.US_ASCII));
    return "text/plain";
  }
}
