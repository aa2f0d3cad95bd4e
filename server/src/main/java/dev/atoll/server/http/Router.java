package dev.atoll.server.http;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a request: a tree with one level per path segment. A literal segment wins over
 * a parameter. Immutable once built.
 */
final class Router {
  private static final RouteMatch UNKNOWN = new RouteMatch.Unknown();

  private final Node root = new Node();
  private final List<Route> routes;

  Router(Collection<Route> routes) {
    this.routes = List.copyOf(routes);
    this.routes.forEach(this::add);
  }

  List<Route> routes() {
    return routes;
  }

  /**
   * Finds a route.
   *
   * @param path the path as it came, still percent-encoded
   */
  RouteMatch match(String method, String path) {
    if (path.isEmpty() || path.charAt(0) != '/') {
      return UNKNOWN;
    }
    return below(root, method, path, 1, List.of());
  }

  /**
   * Looks below a node for the path from an index on. Where a literal leads to nothing that takes
   * the method, the parameter beside it is tried: a snapshot may have the name of an operation.
   */
  private static RouteMatch below(
      Node node, String method, String path, int start, List<String> values) {
    if (start > path.length() || (start == path.length() && start == 1)) {
      return atNode(node, method, values);
    }
    int slash = path.indexOf('/', start);
    int end = slash < 0 ? path.length() : slash;
    String segment = PercentCoding.decode(path.substring(start, end), false);
    Node literal = node.literals.get(segment);
    RouteMatch first = literal == null ? UNKNOWN : below(literal, method, path, end + 1, values);
    if (first instanceof RouteMatch.Found || node.parameter == null || segment.isEmpty()) {
      return first;
    }
    List<String> more = new ArrayList<>(values);
    more.add(segment);
    return better(first, below(node.parameter, method, path, end + 1, more));
  }

  private static RouteMatch better(RouteMatch first, RouteMatch second) {
    if (first instanceof RouteMatch.WrongMethod one
        && second instanceof RouteMatch.WrongMethod two) {
      Set<String> allowed = new TreeSet<>(one.allowed());
      allowed.addAll(two.allowed());
      return new RouteMatch.WrongMethod(allowed);
    }
    return second instanceof RouteMatch.Unknown ? first : second;
  }

  private static RouteMatch atNode(Node node, String method, List<String> values) {
    if (node.byMethod.isEmpty()) {
      return UNKNOWN;
    }
    Leaf leaf = node.byMethod.get(method);
    if (leaf == null && method.equals("HEAD")) {
      leaf = node.byMethod.get("GET");
      leaf = leaf == null || leaf.route.streams() ? null : leaf;
    }
    return leaf == null
        ? new RouteMatch.WrongMethod(node.allowed())
        : new RouteMatch.Found(leaf.route, leaf.names, values);
  }

  private void add(Route route) {
    Node node = root;
    for (String segment : route.segments()) {
      if (Route.isParameter(segment)) {
        node.parameter = node.parameter == null ? new Node() : node.parameter;
        node = node.parameter;
      } else {
        node = node.literals.computeIfAbsent(segment, _ -> new Node());
      }
    }
    if (node.byMethod.put(route.method(), new Leaf(route, route.parameters())) != null) {
      throw new IllegalArgumentException("two routes for " + route.method() + " " + route.path());
    }
  }

  private record Leaf(Route route, List<String> names) {}

  private static final class Node {
    final Map<String, Node> literals = new HashMap<>();
    final Map<String, Leaf> byMethod = new HashMap<>();
    @Nullable Node parameter;

    Set<String> allowed() {
      Set<String> allowed = new TreeSet<>(byMethod.keySet());
      Leaf get = byMethod.get("GET");
      if (get != null && !get.route.streams()) {
        allowed.add("HEAD");
      }
      allowed.add("OPTIONS");
      return allowed;
    }
  }
}
