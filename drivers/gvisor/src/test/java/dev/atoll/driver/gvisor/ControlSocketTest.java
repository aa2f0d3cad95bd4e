package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlSocketTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  @TempDir private Path folder;

  @Test
  void whoListensMustBeTheMachinesUser() throws IOException {
    Path theirs = folder.resolve("neighbour.sock");
    Path ours = folder.resolve("ours.sock");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(theirs));
      // What a sandbox that was taken over might put in the place of its socket.
      Files.createSymbolicLink(ours, theirs);
      int uid = (int) Files.getAttribute(theirs, "unix:uid");

      assertThatThrownBy(() -> ControlSocket.connect(ours, 0x7000_0000, TIMEOUT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("user " + uid + " listens");
      assertThatCode(() -> ControlSocket.connect(theirs, uid, TIMEOUT).close())
          .doesNotThrowAnyException();
    }
  }
}
