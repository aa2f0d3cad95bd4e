package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./mvnw} says where the build could not work. */
class MavenWrapperTest {
  @TempDir private Path jdk;

  @Test
  void anOlderJdkIsToldWhichOneIsNeeded() throws Exception {
    Path java = Files.createDirectories(jdk.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nexit 9\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.12\"\n");
    assertThat(wrapper(4)).contains("needs a JDK 25 or later", "is 17", "JAVA_HOME");
  }

  @Test
  void noJdkAtAllIsSaidToo() throws Exception {
    assertThat(wrapper(4)).contains("needs a JDK 25 and finds none");
  }

  private String wrapper(int status) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("../mvnw", "-v").redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", jdk.toString());
    Process wrapper = builder.start();
    String said = new String(wrapper.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(wrapper.waitFor()).as(said).isEqualTo(status);
    return said;
  }
}
