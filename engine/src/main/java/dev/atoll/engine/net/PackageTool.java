package dev.atoll.engine.net;

import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The package managers whose registries are found, each with a small page of a registry that tells
 * where its packages are downloaded from.
 */
enum PackageTool {
  /** The page of the one project that every index has. */
  PIP("pip/", "href=\"(https?://[^\"#?]+)"),
  NPM("npm/latest", "\"tarball\"\\s*:\\s*\"(https?://[^\"]+)\""),
  CARGO("config.json", "\"(?:dl|api)\"\\s*:\\s*\"(https?://[^\"]+)\""),
  APT("", ""),
  GEM("latest_specs.4.8.gz", ""),
  MAVEN("", ""),
  GO("", "");

  private final String page;
  private final Pattern links;

  PackageTool(String page, String links) {
    this.page = page;
    this.links = Pattern.compile(links);
  }

  List<ManagerConfiguration.Found> find(SearchRoot root) {
    ManagerConfiguration configuration =
        switch (this) {
          case PIP -> new PipConfiguration();
          case NPM -> new NpmConfiguration();
          case CARGO -> new CargoConfiguration();
          case APT -> new AptConfiguration();
          case GEM -> new GemConfiguration();
          case MAVEN -> new MavenConfiguration();
          case GO -> new GoConfiguration();
        };
    return configuration.find(root);
  }

  /** What to fetch of a registry. */
  URI page(URI registry) {
    String base = registry.toString();
    return URI.create(base.endsWith("/") ? base + page : base + "/" + page);
  }

  /** Finds addresses of downloads in that page; matches nothing where only redirects tell. */
  Pattern links() {
    return links;
  }

  boolean hasLinks() {
    return !links.pattern().isEmpty();
  }
}
