package dev.atoll.engine.cache;

import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The way to registries. Where files are and where redirects lead is the registries' word, which
 * must not lead the server to what only the server reaches.
 */
public interface RegistryWay {

  /**
   * A proxy that every request goes through. It looks a name up once, and dials an address of that
   * answer which it has checked, so that no other answer can come between.
   */
  ProxySelector proxy() throws IOException;

  /** Why the last connection to there was not made; null when there was nothing in its way. */
  @Nullable String trouble(URI address);
}
