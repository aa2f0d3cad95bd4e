package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RouterTest {
  private final Router router =
      new Router(
          List.of(
              route("GET", "/"),
              route("GET", "/a/{x}"),
              route("DELETE", "/a/{x}"),
              route("GET", "/a/b"),
              route("POST", "/a/{x}/c/{y}"),
              route("POST", "/a/d"),
              route("GET", "/s").streaming()));

  @Test
  void literalSegmentWinsOverParameter() {
    assertThat(found("GET", "/a/b").route().path()).isEqualTo("/a/b");
    assertThat(found("GET", "/a/z").route().path()).isEqualTo("/a/{x}");
  }

  @Test
  void parameterTakesWhatTheLiteralDoesNot() {
    assertThat(found("POST", "/a/d").route().path()).isEqualTo("/a/d");
    assertThat(found("GET", "/a/d").values()).containsExactly("d");
    assertThat(found("DELETE", "/a/b").values()).containsExactly("b");
    assertThat(found("POST", "/a/d/c/e").values()).containsExactly("d", "e");
    assertThat(router.match("PUT", "/a/d"))
        .isEqualTo(new RouteMatch.WrongMethod(Set.of("DELETE", "GET", "HEAD", "OPTIONS", "POST")));
  }

  @Test
  void parametersAreDecodedInOrder() {
    RouteMatch.Found found = found("POST", "/a/one/c/t%77o");
    assertThat(found.names()).containsExactly("x", "y");
    assertThat(found.values()).containsExactly("one", "two");
  }

  @Test
  void rootIsAPath() {
    assertThat(found("GET", "/").route().path()).isEqualTo("/");
  }

  @Test
  void otherPathsAreUnknown() {
    for (String path :
        List.of("", "a", "//", "/a", "/a/", "/a//", "/a/b/c", "/a/x/c", "/b", "*", "/a/x/c/y/")) {
      assertThat(router.match("GET", path)).as(path).isNotInstanceOf(RouteMatch.Found.class);
    }
    assertThat(router.match("GET", "/nope")).isInstanceOf(RouteMatch.Unknown.class);
  }

  @Test
  void headGoesWithGetButNotWithStreams() {
    assertThat(found("HEAD", "/a/z").route().method()).isEqualTo("GET");
    assertThat(router.match("HEAD", "/s"))
        .isEqualTo(new RouteMatch.WrongMethod(Set.of("GET", "OPTIONS")));
  }

  @Test
  void wrongMethodTellsTheAllowedOnes() {
    assertThat(router.match("PUT", "/a/z"))
        .isEqualTo(new RouteMatch.WrongMethod(Set.of("DELETE", "GET", "HEAD", "OPTIONS")));
  }

  @Test
  void brokenEscapesAreRefused() {
    for (String path : List.of("/a/%", "/a/%4", "/a/%zz", "/a/%ff", "/a/%c3%28")) {
      assertThatThrownBy(() -> router.match("GET", path))
          .as(path)
          .isInstanceOf(AtollException.class);
    }
  }

  @Test
  void twoRoutesForOneOperationAreAMistake() {
    assertThatThrownBy(() -> new Router(List.of(route("GET", "/x/{a}"), route("GET", "/x/{b}"))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private RouteMatch.Found found(String method, String path) {
    return (RouteMatch.Found) router.match(method, path);
  }

  private static Route route(String method, String path) {
    return Route.of(method, path, Exchange::noContent);
  }
}
