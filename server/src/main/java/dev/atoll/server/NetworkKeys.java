package dev.atoll.server;

import dev.atoll.engine.net.NetworkSettings;
import dev.atoll.engine.net.TrafficLimits;
import dev.atoll.model.AtollException;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import dev.atoll.server.config.Setting;
import dev.atoll.server.config.Settings;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The keys of {@code network.}. */
final class NetworkKeys {
  private static final String RULES =
      "rules such as example.com, *.example.com:443 or 10.0.0.0/8:5432";
  private static final String URLS = "addresses that begin with http:// or https://";

  private NetworkKeys() {}

  static NetworkSettings read(Settings settings) {
    NetworkSettings standard = NetworkSettings.defaults();
    return new NetworkSettings(
        ofSandbox(settings),
        ofProject(settings),
        standard.connectDeadline(),
        standard.resolveDeadline(),
        standard.idleTimeout(),
        standard.bufferBytes(),
        rules(settings, Setting.NETWORK_REACHABLE),
        urls(settings, Setting.NETWORK_REGISTRIES),
        settings.flag(Setting.NETWORK_FIND_REGISTRIES),
        settings.duration(Setting.NETWORK_RETENTION),
        settings.number(Setting.NETWORK_MAX_RECORDS),
        ceiling(settings));
  }

  private static NetworkPolicy ceiling(Settings settings) {
    List<String> modes = Arrays.stream(NetworkMode.values()).map(NetworkMode::wire).toList();
    return new NetworkPolicy(
        NetworkMode.of(settings.oneOf(Setting.NETWORK_CEILING, modes)),
        rules(settings, Setting.NETWORK_CEILING_ALLOW),
        rules(settings, Setting.NETWORK_CEILING_DENY));
  }

  private static TrafficLimits ofSandbox(Settings settings) {
    return new TrafficLimits(
        settings.number(Setting.NETWORK_SANDBOX_CONNECTIONS),
        settings.size(Setting.NETWORK_SANDBOX_BYTES_PER_DAY),
        settings.size(Setting.NETWORK_SANDBOX_BYTES_PER_SECOND),
        settings.number(Setting.NETWORK_SANDBOX_NAMES_PER_MINUTE),
        settings.number(Setting.NETWORK_SANDBOX_NEW_NAMES_PER_HOUR));
  }

  private static TrafficLimits ofProject(Settings settings) {
    return new TrafficLimits(
        settings.number(Setting.NETWORK_PROJECT_CONNECTIONS),
        settings.size(Setting.NETWORK_PROJECT_BYTES_PER_DAY),
        settings.size(Setting.NETWORK_PROJECT_BYTES_PER_SECOND),
        settings.number(Setting.NETWORK_PROJECT_NAMES_PER_MINUTE),
        settings.number(Setting.NETWORK_PROJECT_NEW_NAMES_PER_HOUR));
  }

  private static List<NetworkRule> rules(Settings settings, Setting setting) {
    return settings.list(setting, RULES, NetworkKeys::rules);
  }

  /** Commas stand between rules and also between ports; a number alone is a port. */
  private static List<NetworkRule> rules(List<String> entries) {
    List<String> whole = new ArrayList<>();
    for (String entry : entries) {
      if (!whole.isEmpty() && entry.matches("[0-9]+(-[0-9]+)?")) {
        whole.add(whole.removeLast() + "," + entry);
      } else {
        whole.add(entry);
      }
    }
    try {
      return whole.stream().map(NetworkRule::parse).toList();
    } catch (AtollException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static List<URI> urls(Settings settings, Setting setting) {
    return settings.list(setting, URLS, NetworkKeys::urls);
  }

  private static List<URI> urls(List<String> entries) {
    List<URI> urls = entries.stream().map(URI::create).toList();
    for (URI url : urls) {
      if (url.getHost() == null || !List.of("http", "https").contains(url.getScheme())) {
        throw new IllegalArgumentException(url + " is no address of a registry");
      }
    }
    return urls;
  }
}
