package dev.atoll.engine.oci;

import dev.atoll.model.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** What a reference leads to: an image, or an index of images for several kinds of machines. */
sealed interface Document {
  String OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  String OCI_INDEX = "application/vnd.oci.image.index.v1+json";
  String DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
  String DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";

  Set<String> MANIFESTS = Set.of(OCI_MANIFEST, DOCKER_MANIFEST);
  Set<String> INDEXES = Set.of(OCI_INDEX, DOCKER_LIST);
  Set<String> CONFIGS =
      Set.of(
          "application/vnd.oci.image.config.v1+json",
          "application/vnd.docker.container.image.v1+json");
  Set<String> LAYERS =
      Set.of(
          "application/vnd.oci.image.layer.v1.tar",
          "application/vnd.oci.image.layer.v1.tar+gzip",
          "application/vnd.oci.image.layer.v1.tar+zstd",
          "application/vnd.docker.image.rootfs.diff.tar",
          "application/vnd.docker.image.rootfs.diff.tar.gzip",
          "application/vnd.docker.image.rootfs.diff.tar.zstd");

  int MOST_LAYERS = 500;
  long MOST_CONFIG = 1L << 20;

  /** One image. */
  record Image(Descriptor config, List<Descriptor> layers) implements Document {
    public Image {
      layers = List.copyOf(layers);
    }
  }

  /** One entry for each kind of machine. */
  record Index(List<Descriptor.Said> entries) implements Document {
    public Index {
      entries = List.copyOf(entries);
    }

    /** The image for machines of this server; never another index. */
    Descriptor fitting() throws ImageRefused {
      for (Descriptor.Said entry : entries) {
        Descriptor.Platform platform = entry.platform();
        if (platform != null && platform.fits()) {
          Descriptor chosen = Descriptor.of(entry, "an image");
          if (!MANIFESTS.contains(chosen.mediaType())) {
            throw wrongType("an entry of the index is", chosen.mediaType());
          }
          return chosen;
        }
      }
      throw new ImageRefused(
          ImageRefused.Reason.WRONG_PLATFORM, "the image has no variant for linux/amd64");
    }
  }

  /** As it is written. */
  record Said(
      @Nullable Integer schemaVersion,
      @Nullable String mediaType,
      Descriptor.@Nullable Said config,
      @Nullable List<Descriptor.@Nullable Said> layers,
      @Nullable List<Descriptor.@Nullable Said> manifests,
      @Nullable Object fsLayers) {}

  /**
   * Reads a document whose digest was checked.
   *
   * @param type as the answer's header has it
   * @param mostBytes that the layers may have together
   */
  static Document read(byte[] content, String type, long mostBytes) throws ImageRefused {
    String answered = type.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    Said said = said(content);
    boolean index = INDEXES.contains(answered);
    if (!index && !MANIFESTS.contains(answered)) {
      throw wrongType("the manifest is", answered);
    }
    if (said.mediaType() != null && !said.mediaType().equals(answered)) {
      throw wrongType("the registry calls " + answered + " what calls itself", said.mediaType());
    }
    if (Integer.valueOf(2).equals(said.schemaVersion()) && said.fsLayers() == null) {
      // One content must not be an image for some and an index for others.
      if (index && said.config() == null && said.layers() == null) {
        return new Index(present(said.manifests()));
      }
      if (!index && said.manifests() == null) {
        return image(said, mostBytes);
      }
    }
    throw new ImageRefused(
        ImageRefused.Reason.INVALID_MANIFEST, "the manifest is neither an image nor an index");
  }

  private static Said said(byte[] content) throws ImageRefused {
    try {
      Said said = Json.lenient().readValue(content, Said.class);
      if (said != null) {
        return said;
      }
    } catch (JacksonException e) {
      // Said below, without the registry's text.
    }
    throw new ImageRefused(ImageRefused.Reason.INVALID_MANIFEST, "the manifest is not JSON");
  }

  private static Image image(Said said, long mostBytes) throws ImageRefused {
    Descriptor config = Descriptor.of(said.config(), "its configuration");
    if (!CONFIGS.contains(config.mediaType())) {
      throw wrongType("the configuration is", config.mediaType());
    }
    if (config.size() > MOST_CONFIG) {
      throw tooLarge("the configuration", config.size(), MOST_CONFIG);
    }
    List<Descriptor.Said> listed = present(said.layers());
    if (listed.size() > MOST_LAYERS) {
      throw new ImageRefused(
          ImageRefused.Reason.TOO_MANY_LAYERS,
          "the image has %d layers, at most %d".formatted(listed.size(), MOST_LAYERS));
    }
    List<Descriptor> layers = new ArrayList<>();
    long left = mostBytes;
    for (Descriptor.Said one : listed) {
      Descriptor layer = Descriptor.of(one, "a layer");
      if (!LAYERS.contains(layer.mediaType())) {
        throw wrongType("a layer is", layer.mediaType());
      }
      if (layer.size() > left) {
        throw new ImageRefused(
            ImageRefused.Reason.TOO_LARGE,
            "the layers have more than %d bytes, which a template may have".formatted(mostBytes));
      }
      left -= layer.size();
      layers.add(layer);
    }
    return new Image(config, layers);
  }

  private static List<Descriptor.Said> present(@Nullable List<Descriptor.@Nullable Said> said)
      throws ImageRefused {
    List<Descriptor.Said> entries = new ArrayList<>();
    for (Descriptor.Said entry : said == null ? List.<Descriptor.Said>of() : said) {
      if (entry == null) {
        throw new ImageRefused(
            ImageRefused.Reason.INVALID_MANIFEST, "the manifest has an entry that is null");
      }
      entries.add(entry);
    }
    return entries;
  }

  /** For a content that is larger than it may be. */
  static ImageRefused tooLarge(String what, long size, long most) {
    return new ImageRefused(
        ImageRefused.Reason.TOO_LARGE, "%s has %d bytes, at most %d".formatted(what, size, most));
  }

  private static ImageRefused wrongType(String what, String type) {
    return new ImageRefused(
        ImageRefused.Reason.WRONG_MEDIA_TYPE,
        "%s %s, which is not what belongs there".formatted(what, ImageRefused.quoted(type)));
  }
}
