package dev.atoll.server.http;

import java.util.List;
import java.util.Set;

/** What the router found for a method and a path. */
sealed interface RouteMatch {

  /** A route, and the values of its path parameters in order. */
  record Found(Route route, List<String> names, List<String> values) implements RouteMatch {}

  /** The path exists, but not with this method. */
  record WrongMethod(Set<String> allowed) implements RouteMatch {}

  /** There is no such path. */
  record Unknown() implements RouteMatch {}
}
