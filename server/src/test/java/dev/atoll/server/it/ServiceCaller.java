package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.InstanceState;
import dev.atoll.model.ServiceInstance;
import dev.atoll.sdk.Atoll;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

/** Who uses the service {@code web} by its path, with the key of the API. */
record ServiceCaller(Atoll atoll, HttpClient client) implements AutoCloseable {
  ServiceCaller(Atoll atoll) {
    this(atoll, HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(atoll.endpoint().url() + "/services/web" + path))
        .header("X-API-Key", atoll.endpoint().apiKey())
        .timeout(Duration.ofSeconds(90));
  }

  HttpResponse<String> get(String path) throws Exception {
    return client.send(request(path).build(), BodyHandlers.ofString());
  }

  String body(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  List<InstanceState> states() {
    return atoll.services().get("web").instances().stream().map(ServiceInstance::state).toList();
  }

  boolean logged(String text) {
    return atoll.services().logs("web", 1000).stream().anyMatch(line -> line.text().equals(text));
  }

  static void await(Callable<Boolean> condition, String what) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(90).toNanos();
    while (!condition.call()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      Thread.sleep(50);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
