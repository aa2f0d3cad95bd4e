package dev.atoll.kernel.maven;

import dev.atoll.kernel.DependencyException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.repository.AuthenticationContext;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.spi.connector.transport.AbstractTransporter;
import org.eclipse.aether.spi.connector.transport.GetTask;
import org.eclipse.aether.spi.connector.transport.PeekTask;
import org.eclipse.aether.spi.connector.transport.PutTask;
import org.eclipse.aether.spi.connector.transport.Transporter;
import org.eclipse.aether.spi.connector.transport.TransporterFactory;
import org.eclipse.aether.transfer.NoTransporterException;

/**
 * Fetches by the JDK's own client, which goes the way that the system is configured for, and keeps
 * what a policy or a server said when it refused.
 */
final class Transfers implements TransporterFactory, AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(20);
  private static final Duration ANSWER = Duration.ofSeconds(90);
  private static final int MOST_WORDS = 2000;
  private static final Set<String> SAID =
      Set.of("package_corrupt", "registry_unreachable", "storage_full");

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT)
          .proxy(ProxySelector.getDefault())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();
  private volatile DependencyException trouble;

  /** The first thing that was in the way; null when nothing was. */
  DependencyException trouble() {
    return trouble;
  }

  private synchronized IOException failed(String code, String message) {
    trouble = trouble == null ? new DependencyException(code, message) : trouble;
    return new IOException(message);
  }

  @Override
  public Transporter newInstance(RepositorySystemSession session, RemoteRepository repository)
      throws NoTransporterException {
    if (!repository.getProtocol().matches("(?i)https?")) {
      throw new NoTransporterException(repository, "only http and https can be asked");
    }
    return new Asking(repository, credentials(session, repository));
  }

  private static String credentials(RepositorySystemSession session, RemoteRepository repository) {
    try (AuthenticationContext context = AuthenticationContext.forRepository(session, repository)) {
      String user = context == null ? null : context.get(AuthenticationContext.USERNAME);
      if (user == null) {
        return null;
      }
      byte[] both =
          (user + ":" + context.get(AuthenticationContext.PASSWORD))
              .getBytes(StandardCharsets.UTF_8);
      return "Basic " + Base64.getEncoder().encodeToString(both);
    }
  }

  @Override
  public float getPriority() {
    return 1;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  /** A repository has no such file. */
  private static final class MissingException extends IOException {
    private static final long serialVersionUID = 1;

    MissingException(URI address) {
      super(address + " does not exist");
    }
  }

  private final class Asking extends AbstractTransporter {
    private final RemoteRepository repository;
    private final String credentials;
    private final URI base;

    Asking(RemoteRepository repository, String credentials) {
      this.repository = repository;
      this.credentials = credentials;
      String address = repository.getUrl();
      this.base = URI.create(address.endsWith("/") ? address : address + "/");
    }

    @Override
    public int classify(Throwable error) {
      return error instanceof MissingException ? ERROR_NOT_FOUND : ERROR_OTHER;
    }

    @Override
    protected void implPeek(PeekTask task) throws Exception {
      send(base.resolve(task.getLocation()), "HEAD").body().close();
    }

    @Override
    protected void implGet(GetTask task) throws Exception {
      HttpResponse<InputStream> answer = send(base.resolve(task.getLocation()), "GET");
      long length = answer.headers().firstValueAsLong("Content-Length").orElse(-1);
      try {
        utilGet(task, answer.body(), true, length, false);
      } catch (IOException e) {
        throw failed(
            "package_corrupt",
            "%s broke off before its end: it is not what the repository promises, or the repository has stopped"
                .formatted(answer.uri()));
      }
    }

    @Override
    protected void implPut(PutTask task) {
      throw new UnsupportedOperationException("nothing is written to a repository");
    }

    @Override
    protected void implClose() {}

    /** The server's cache says what it is first of all. */
    private String code(int status, String words) {
      int end = words.indexOf(": ");
      if (end > 0 && SAID.contains(words.substring(0, end))) {
        return words.substring(0, end);
      }
      return status == 403 || status == 401 ? "registry_refused" : "registry_unreachable";
    }

    private HttpResponse<InputStream> send(URI address, String method) throws Exception {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(address)
              .method(method, HttpRequest.BodyPublishers.noBody())
              .timeout(ANSWER);
      if (credentials != null) {
        request.header("Authorization", credentials);
      }
      HttpResponse<InputStream> answer;
      try {
        answer = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      } catch (IOException e) {
        throw failed(
            "registry_unreachable",
            "the repository %s (%s) does not answer: %s".formatted(repository.getId(), base, e));
      }
      if (answer.statusCode() == 200) {
        return answer;
      }
      try (InputStream body = answer.body()) {
        if (answer.statusCode() == 404 || answer.statusCode() == 410) {
          throw new MissingException(address);
        }
        // Where there is no body the policy says why in a header.
        String words =
            answer
                .headers()
                .firstValue("X-Atoll-Reason")
                .orElse(new String(body.readNBytes(MOST_WORDS), StandardCharsets.UTF_8).strip());
        String code = code(answer.statusCode(), words);
        words = words.startsWith(code + ": ") ? words.substring(code.length() + 2) : words;
        throw failed(
            code,
            "the repository %s (%s) cannot be asked: %s"
                .formatted(
                    repository.getId(),
                    base,
                    words.isEmpty() ? "its answer is " + answer.statusCode() : words));
      }
    }
  }
}
