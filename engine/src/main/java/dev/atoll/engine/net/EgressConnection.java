package dev.atoll.engine.net;

import com.google.protobuf.ByteString;
import dev.atoll.engine.cache.PackageCache;
import dev.atoll.engine.guest.ChannelHandler;
import dev.atoll.engine.guest.GuestChannel;
import dev.atoll.engine.inject.SandboxSecrets;
import dev.atoll.model.AtollException;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Connect;
import dev.atoll.protocol.wire.Connected;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Refused;
import dev.atoll.protocol.wire.Stream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a program in a sandbox, from its question to its end.
 *
 * <p>Its own thread opens it, carries what the program sends and settles the account; a second one
 * carries what comes back. Whoever ends it from outside closes the socket and the inbox, and both
 * threads find out. What the program sends before it is connected waits within its credit.
 */
final class EgressConnection implements ChannelHandler {
  private static final int HALF_WINDOW = FrameCodec.INITIAL_WINDOW / 2;

  /** What is read at once: little for the many that say little, a whole frame for downloads. */
  private static final int READ_BYTES = 16_384;

  private static final int MOST_READ_BYTES = FrameCodec.MAX_DATA;

  /** How long a guest may take to hand over the last bytes before the channel is closed. */
  private static final Duration LINGER = Duration.ofSeconds(30);

  private final Egress egress;
  private final GuestChannel channel;
  private final Connect request;
  private final Inbox inbox;
  private final ConnectionEntry entry;
  private final AtomicReference<@Nullable Ending> ending = new AtomicReference<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch closedByGuest = new CountDownLatch(1);
  private volatile @Nullable Target target;
  private volatile @Nullable InetAddress address;
  private volatile @Nullable Socket socket;
  private volatile boolean inside;
  private volatile boolean leaving;
  private volatile boolean allSent;
  private volatile long lastActive = System.nanoTime();

  EgressConnection(Egress egress, GuestChannel channel, Connect request) {
    this.egress = egress;
    this.channel = channel;
    this.request = Target.bounded(request);
    this.inbox = new Inbox(egress.buffers(), channel.memory());
    this.entry =
        egress.entry(
            this.request.getHost(), this.request.getPort(), Ways.of(this.request.getWay()));
  }

  // What the guest sends; never blocks.

  @Override
  public void frame(Frame frame) {
    switch (frame.getBodyCase()) {
      case DATA -> {
        if (frame.getData().getStream() != Stream.BYTES) {
          throw new ProtocolException("a connection has one stream only");
        }
        if (!inbox.add(frame.getData().getBytes())) {
          end(Ending.refused("limit", "too much was sent that nobody takes"));
        }
      }
      case EOF -> inbox.end();
      case CLOSED -> hungUp();
      default -> {}
    }
  }

  /** The program is done. What it had sent before it ended its side still arrives. */
  private void hungUp() {
    closedByGuest.countDown();
    channel.finished();
    leaving = true;
    if (allSent || !inbox.hasEnded()) {
      end(Ending.byGuest(socket == null ? "the program gave up" : null));
    }
  }

  @Override
  public void lost(String reason) {
    closedByGuest.countDown();
    end(Ending.byGuest("the sandbox is gone"));
  }

  // Ending from outside.

  /** Ends it at once, unless it has ended. */
  void end(Ending how) {
    if (ending.compareAndSet(null, how)) {
      over.countDown();
      inbox.close();
      close(socket);
    }
  }

  void endIfIdle(long now, Duration timeout) {
    if (now - lastActive > timeout.toNanos()) {
      end(Ending.broken("idle"));
    }
  }

  /** After a change of the policy: ends it if it may no longer be. */
  void recheck() {
    Target asked = target;
    InetAddress reached = address;
    if (asked != null
        && inside
        && egress.check().decide(asked) instanceof Decision.Refused refused) {
      end(Ending.refused(refused.rule(), "policy_changed"));
    }
    if (asked != null
        && reached != null
        && new Admission(egress, asked).check(reached) instanceof Decision.Refused refused) {
      end(Ending.refused(refused.rule(), "policy_changed"));
    }
  }

  // Its life.

  void run() {
    boolean counted = false;
    Refusal refusal = null;
    try {
      Target asked = parse();
      target = asked;
      if (request.getWay() == Connect.Way.UDP) {
        throw Refusal.datagram(asked);
      }
      Admission admission = new Admission(egress, asked);
      Decision decision = admission.decide();
      String full = egress.account().open();
      if (full != null) {
        throw Refusal.limit(full);
      }
      counted = true;
      PackageCache cache = egress.inside(asked);
      if (cache != null) {
        serve(cache, decision);
      } else {
        open(asked, admission.admit(decision));
        transfer(asked);
      }
    } catch (Refusal e) {
      refusal = e;
      entry.detail(e.line());
      note(e);
      end(Ending.of(e));
    } catch (InterruptedException e) {
      end(Ending.broken("the server is stopping"));
    } catch (AtollException e) {
      end(Ending.byGuest("the sandbox is gone"));
    } finally {
      end(Ending.complete());
      if (counted) {
        egress.account().closed();
      }
      egress.ended(this);
      // On record first: whoever is told can look it up.
      egress.record(entry(ending.get(), false));
      if (refusal == null) {
        hangUp();
      } else {
        refuse(refusal);
      }
    }
  }

  /** Answers by itself: nothing is dialled, and nothing counts as traffic. */
  private void serve(PackageCache cache, Decision decision) {
    inside = true;
    entry.rule(decision instanceof Decision.Allowed allowed ? allowed.rule() : "allow");
    egress.record(entry(Ending.complete(), true));
    channel.send(Frame.newBuilder().setConnected(Connected.getDefaultInstance()));
    try (GuestSocket guest = new GuestSocket(this, new byte[0])) {
      cache.serve(guest.getInputStream(), guest.getOutputStream(), egress::trouble);
    } catch (IOException e) {
      end(Ending.broken(String.valueOf(e.getMessage())));
    }
    sentAll();
  }

  private void note(Refusal refusal) {
    if (refusal.verdict() == ConnectionVerdict.REFUSED) {
      egress.trouble(ErrorCode.REGISTRY_REFUSED, refusal.line());
    }
  }

  private Target parse() throws Refusal {
    try {
      Target asked = Target.parse(request.getHost(), request.getPort());
      if (asked.port() == 0) {
        throw Refusal.invalid("there is no port 0");
      }
      return asked;
    } catch (AtollException e) {
      throw Refusal.invalid(String.valueOf(e.getMessage()));
    }
  }

  private void open(Target asked, Admission.Admitted admitted)
      throws Refusal, InterruptedException {
    entry.rule(admitted.rule());
    Dialer.Dialled dialled = dial(asked, admitted);
    socket = speaking(asked, admitted, dialled.socket());
    address = dialled.address();
    entry.address(dialled.address());
    // From here on a change of the policy finds it; one that came before is seen now.
    recheck();
    Ending early = ending.get();
    if (early != null) {
      close(dialled.socket());
      if (early.verdict() == ConnectionVerdict.REFUSED) {
        throw Refusal.of(
            new Decision.Refused(
                String.valueOf(early.rule()),
                String.valueOf(early.reason()),
                asked + " is no longer allowed"));
      }
      return;
    }
    lastActive = System.nanoTime();
    egress.record(entry(Ending.complete(), true));
    channel.send(Frame.newBuilder().setConnected(Connected.getDefaultInstance()));
  }

  private Dialer.Dialled dial(Target asked, Admission.Admitted admitted)
      throws Refusal, InterruptedException {
    try {
      Dialer.Dialled dialled =
          egress
              .network()
              .dialer()
              .dial(
                  admitted.addresses(),
                  asked.port(),
                  egress.network().settings().connectDeadline());
      dialled.socket().setTcpNoDelay(true);
      return dialled;
    } catch (SocketTimeoutException e) {
      throw Refusal.timeout(asked, admitted.rule(), "no answer in time");
    } catch (IOException e) {
      throw Refusal.unreachable(asked, admitted.rule(), String.valueOf(e.getMessage()));
    }
  }

  /** The socket itself, or TLS over it for a program that left that to us. */
  private Socket speaking(Target asked, Admission.Admitted admitted, Socket plain) throws Refusal {
    if (!speaksTls()) {
      return plain;
    }
    try {
      return TlsClient.over(plain, asked, egress.network().settings().connectDeadline());
    } catch (IOException e) {
      close(plain);
      throw Refusal.unreachable(asked, admitted.rule(), "TLS failed: " + e.getMessage());
    }
  }

  private boolean speaksTls() {
    return request.getWay() == Connect.Way.HTTPS;
  }

  private void transfer(Target asked) throws InterruptedException {
    Socket open = socket;
    if (open == null || ending.get() != null) {
      return;
    }
    SandboxSecrets secrets = egress.secretsFor(asked);
    FirstBytes first = new FirstBytes(asked, egress.check());
    if (secrets != null) {
      inject(secrets, asked, open, first);
      return;
    }
    Thread down = Thread.ofVirtual().name("egress-down").start(() -> carryDown(open));
    carryUp(open, first);
    sentAll();
    down.join();
  }

  private void sentAll() {
    allSent = true;
    if (leaving) {
      end(Ending.byGuest(null));
    }
  }

  // With secrets: what passes is read, which is done for no other connection.

  private void inject(SandboxSecrets secrets, Target asked, Socket open, FirstBytes first)
      throws InterruptedException {
    // What goes into our own TLS goes to the name that was asked for.
    byte[] greeting = speaksTls() ? receive() : greeting(first);
    if (greeting == null) {
      finish();
      return;
    }
    try (GuestSocket guest = new GuestSocket(this, greeting)) {
      Duration deadline = egress.network().settings().connectDeadline();
      boolean tls = ClientHello.isTls(greeting);
      secrets.forward(
          guest, open, asked.host(), asked.port(), tls, speaksTls(), deadline, new Noted());
    } catch (IOException e) {
      end(Ending.broken(String.valueOf(e.getMessage())));
    }
    sentAll();
  }

  /** What the program sends first, once it may pass; null when it may not, or nothing came. */
  private byte @Nullable [] greeting(FirstBytes first) throws InterruptedException {
    for (byte[] bytes = receive(); bytes != null; bytes = receive()) {
      byte[] known = first.offer(bytes);
      if (known != null) {
        return known;
      }
      if (refused(first)) {
        return null;
      }
    }
    return null;
  }

  private final class Noted implements SandboxSecrets.Listener {
    @Override
    public void used(List<String> names) {
      entry.secrets(names);
    }

    @Override
    public void trouble(String why) {
      entry.note(why);
    }

    @Override
    public void broken(String why) {
      end(Ending.broken(why));
    }
  }

  /** Waits for what the program sends; null at the end. */
  byte @Nullable [] receive() throws InterruptedException {
    ByteString chunk = inbox.take();
    if (chunk == null || !pay(chunk.size())) {
      return null;
    }
    entry.sent(chunk.size());
    lastActive = System.nanoTime();
    if (inbox.size() < HALF_WINDOW) {
      channel.grant();
    }
    return chunk.toByteArray();
  }

  /** Hands bytes to the program; false when it takes none any more. */
  boolean deliver(byte[] bytes, int offset, int length) throws InterruptedException {
    if (over.getCount() == 0 || !pay(length)) {
      return false;
    }
    try {
      channel.sendData(
          Stream.BYTES, bytes, offset, length, egress.network().settings().idleTimeout());
    } catch (AtollException e) {
      return false;
    }
    entry.received(length);
    lastActive = System.nanoTime();
    return true;
  }

  /** Nothing more is handed over, and nothing more is taken. */
  void finish() {
    inbox.close();
    if (ending.get() == null && !leaving) {
      channel.sendEof(Stream.BYTES);
    }
  }

  private void carryUp(Socket open, FirstBytes first) throws InterruptedException {
    try {
      // What goes into our own TLS goes to the name that was asked for.
      boolean passed = speaksTls();
      for (ByteString chunk = inbox.take(); chunk != null; chunk = inbox.take()) {
        byte[] bytes = chunk.toByteArray();
        if (!passed) {
          byte[] known = first.offer(bytes);
          passed = known != null;
          bytes = known == null ? new byte[0] : known;
        }
        if (refused(first) || !write(open, bytes)) {
          return;
        }
      }
      byte[] rest = passed || ending.get() != null ? new byte[0] : first.end();
      if (!refused(first) && rest != null && write(open, rest) && ending.get() == null) {
        open.shutdownOutput();
      }
    } catch (IOException e) {
      end(Ending.broken("the other side has closed the connection"));
    }
  }

  private boolean refused(FirstBytes first) {
    String trouble = first.trouble();
    if (trouble != null) {
      entry.detail(trouble);
      end(Ending.refused("sni", "sni_mismatch"));
    }
    return trouble != null;
  }

  private boolean write(Socket open, byte[] bytes) throws IOException, InterruptedException {
    if (bytes.length > 0) {
      if (!pay(bytes.length)) {
        return false;
      }
      open.getOutputStream().write(bytes);
      entry.sent(bytes.length);
      lastActive = System.nanoTime();
    }
    if (inbox.size() < HALF_WINDOW) {
      channel.grant();
    }
    return true;
  }

  private void carryDown(Socket open) {
    byte[] buffer = new byte[READ_BYTES];
    try {
      for (int n = open.getInputStream().read(buffer);
          n >= 0;
          n = open.getInputStream().read(buffer)) {
        if (!pay(n)) {
          return;
        }
        channel.sendData(Stream.BYTES, buffer, 0, n, egress.network().settings().idleTimeout());
        entry.received(n);
        lastActive = System.nanoTime();
        if (n == READ_BYTES) {
          buffer = new byte[MOST_READ_BYTES];
        }
      }
      channel.sendEof(Stream.BYTES);
    } catch (IOException e) {
      end(Ending.broken("the other side has reset the connection"));
    } catch (AtollException e) {
      if (!leaving) {
        end(Ending.broken("the sandbox takes nothing"));
      }
    } catch (InterruptedException e) {
      end(Ending.broken("the server is stopping"));
    }
  }

  /** Counts bytes and holds them back as long as the limits ask; false when they may not go. */
  private boolean pay(int bytes) throws InterruptedException {
    if (inside) {
      return over.getCount() > 0;
    }
    String usedUp = egress.account().usedUp();
    if (usedUp != null) {
      entry.detail(usedUp);
      end(Ending.refused("limit", "limit"));
      return false;
    }
    Duration hold = egress.account().count(bytes);
    return hold.isZero() || !over.await(hold.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void refuse(Refusal refusal) {
    Refused.Builder refused =
        Refused.newBuilder().setReason(refusal.reason()).setMessage(refusal.line());
    try {
      channel.send(Frame.newBuilder().setRefused(refused));
    } catch (AtollException e) {
      // The guest is gone, and with it whoever wanted to know.
    } finally {
      channel.finished();
    }
  }

  /** Lets the guest hand over the last bytes of a connection that ended well, then closes. */
  private void hangUp() {
    Ending how = ending.get();
    try {
      boolean complete = how != null && how.reason() == null && !how.byGuest();
      if (complete && closedByGuest.await(LINGER.toMillis(), TimeUnit.MILLISECONDS)) {
        channel.finished();
      } else if (how != null && how.byGuest()) {
        channel.finished();
      } else {
        channel.close();
      }
    } catch (AtollException e) {
      channel.finished();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Connection entry(@Nullable Ending how, boolean open) {
    return entry.toConnection(how == null ? Ending.complete() : how, open);
  }

  private static void close(@Nullable Socket socket) {
    if (socket != null) {
      try {
        socket.close();
      } catch (IOException e) {
        // It is given up either way.
      }
    }
  }
}
