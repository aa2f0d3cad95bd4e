package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;

final class PortCredentialsTest {
  private static final String KEY = "e2b_0123456789abcdef0123456789abcdef01234567";

  @Test
  void everyFieldIsLookedAtAndOnlyAtollsAreTakenOut() {
    HttpFields.Mutable headers =
        HttpFields.build()
            .add("Authorization", "Basic b3duOm93bg==")
            .add("authorization", "bearer  " + KEY)
            .add("Authorization", "Bearer own")
            .add("X-API-Key", "own")
            .add("x-api-key", KEY)
            .add("X-Other", "own");
    assertThat(PortCredentials.key(headers)).isEqualTo(KEY);
    PortCredentials.remove(headers);
    assertThat(headers.toString()).doesNotContain("e2b_");
    assertThat(headers.getValuesList("Authorization"))
        .containsExactly("Basic b3duOm93bg==", "Bearer own");
    assertThat(headers.getValuesList("X-API-Key")).containsExactly("own");
    assertThat(headers.get("X-Other")).isEqualTo("own");
    assertThat(PortCredentials.key(headers)).isNull();
  }
}
