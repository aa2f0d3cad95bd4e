package dev.atoll.driver.testkit;

import com.google.protobuf.ByteString;
import dev.atoll.driver.MachineExit;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Channels;
import dev.atoll.protocol.wire.Closed;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Entries;
import dev.atoll.protocol.wire.Entry;
import dev.atoll.protocol.wire.Eof;
import dev.atoll.protocol.wire.Exit;
import dev.atoll.protocol.wire.Failed;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.List;
import dev.atoll.protocol.wire.Ok;
import dev.atoll.protocol.wire.OpenContext;
import dev.atoll.protocol.wire.Pong;
import dev.atoll.protocol.wire.Port;
import dev.atoll.protocol.wire.Ports;
import dev.atoll.protocol.wire.Quiesced;
import dev.atoll.protocol.wire.ReadFile;
import dev.atoll.protocol.wire.Start;
import dev.atoll.protocol.wire.Started;
import dev.atoll.protocol.wire.Stats;
import dev.atoll.protocol.wire.Stream;
import dev.atoll.protocol.wire.Thaw;
import dev.atoll.protocol.wire.Thawed;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** What each frame from the host does to a fake guest. */
final class FakeDispatch {
  private static final int SIGKILL = 9;
  private static final int FIRST_OWN_CHANNEL = 1 << 30;

  private final FakeGuest guest;
  private final FakeState state;
  private final Frame frame;

  private FakeDispatch(FakeGuest guest, Frame frame) {
    this.guest = guest;
    this.state = guest.state();
    this.frame = frame;
  }

  /** Called with the guest's lock held. */
  static void dispatch(FakeGuest guest, Frame frame) {
    new FakeDispatch(guest, frame).dispatch();
  }

  private void dispatch() {
    if (state.quiesced && !frame.hasThaw()) {
      guest.die(MachineExit.Cause.CRASHED, frame.getBodyCase() + " while quiesced");
      return;
    }
    try {
      switch (frame.getBodyCase()) {
        case PING -> send(Frame.newBuilder().setPong(Pong.newBuilder().setNonce(nonce())));
        case QUIESCE ->
            guest.quiesce(Frame.newBuilder().setQuiesced(Quiesced.getDefaultInstance()).build());
        case THAW -> thaw(frame.getThaw());
        case GET_STATS -> send(Frame.newBuilder().setStats(stats()));
        case GET_CHANNELS -> send(Frame.newBuilder().setChannels(channels()));
        case GET_PORTS -> send(Frame.newBuilder().setPorts(ports()));
        case DIAL -> dial(frame.getDial().getPort());
        case START -> start(frame.getStart());
        case OPEN_CONTEXT -> openContext(frame.getOpenContext());
        case WRITE_FILE -> open(ChannelInfo.Kind.OTHER, "", new FakeUpload(frame.getWriteFile()));
        case READ_FILE -> readFile(frame.getReadFile());
        case STAT ->
            answer(Frame.newBuilder().setEntry(state.files.stat(frame.getStat().getPath())));
        case LIST -> list(frame.getList());
        case MOVE, REMOVE, MAKE_DIR -> change();
        case WATCH -> refuse(Failed.Reason.INVALID, "a fake guest cannot watch");
        case CREDIT,
            CLOSE,
            DATA,
            EOF,
            SIGNAL,
            RESIZE,
            EXECUTE,
            ANSWER,
            INTERRUPT,
            CONNECTED,
            REFUSED ->
            useChannel();
        default -> guest.die(MachineExit.Cause.CRASHED, "the host sent " + frame.getBodyCase());
      }
    } catch (FakeFiles.Refusal e) {
      refuse(e.reason, String.valueOf(e.getMessage()));
    }
  }

  private long nonce() {
    return frame.getPing().getNonce();
  }

  private void thaw(Thaw thaw) {
    if (thaw.hasLimits()) {
      state.guestMemoryBytes = thaw.getLimits().getMemoryBytes();
      state.guestDiskBytes = thaw.getLimits().getDiskBytes();
      state.guestProcesses = thaw.getLimits().getProcesses();
    }
    if (!thaw.getHostname().isEmpty()) {
      state.hostname = thaw.getHostname();
    }
    if (thaw.getRestored()) {
      // Connections do not outlive the machine that they came to.
      state.channels.values().removeIf(channel -> channel.job instanceof FakeDial);
    }
    thaw.getEnvList().forEach(v -> state.environment.put(v.getName(), v.getValue()));
    if (thaw.getRestored()) {
      state.channels.values().forEach(channel -> channel.job.restored(guest, channel));
    }
    send(Frame.newBuilder().setThawed(Thawed.getDefaultInstance()));
    guest.wake();
  }

  private Stats stats() {
    long running = state.channels.values().stream().filter(FakeChannel::running).count();
    return Stats.newBuilder()
        .setMemoryBytes(guest.stats().memoryBytes())
        .setDiskBytes(state.files.bytes())
        .setProcesses((int) running)
        .setCpuMicros(state.cpuMicros)
        .build();
  }

  private Channels channels() {
    Channels.Builder channels = Channels.newBuilder().setLast(true);
    state.channels.values().forEach(channel -> channels.addChannels(channel.info()));
    // Who asks has just come, and counts on from what is open.
    state.lastChannel =
        state.channels.keySet().stream()
            .mapToInt(id -> id)
            .filter(id -> id < FIRST_OWN_CHANNEL)
            .max()
            .orElse(0);
    return channels.build();
  }

  private void start(Start start) {
    if (guest.processesLeft() <= 0) {
      refuse(Failed.Reason.TOO_MANY, "too many processes");
      return;
    }
    if (!FakeProcess.knows(start.getArgvList())) {
      refuse(Failed.Reason.NOT_FOUND, start.getArgv(0) + ": No such file or directory");
      return;
    }
    Map<String, String> environment = new TreeMap<>(state.environment);
    start.getEnvList().forEach(v -> environment.put(v.getName(), v.getValue()));
    FakeProcess process = new FakeProcess(start.getArgvList(), environment, start.getStdin());
    begin(open(ChannelInfo.Kind.PROCESS, start.getTag(), process));
  }

  private Ports ports() {
    Ports.Builder ports = Ports.newBuilder();
    for (FakeChannel channel : state.channels.values()) {
      if (channel.running() && channel.job instanceof FakeProcess process && process.port() > 0) {
        ports.addPorts(
            Port.newBuilder()
                .setPort(process.port())
                .setLoopback(true)
                .setPid(channel.pid)
                .setProgram("listen"));
      }
    }
    return ports.build();
  }

  private void dial(int port) {
    try {
      if (ports().getPortsList().stream().noneMatch(p -> p.getPort() == port)) {
        refuse(Failed.Reason.NOT_FOUND, "nothing in the guest listens on port " + port);
        return;
      }
      FakeChannel channel = open(ChannelInfo.Kind.OTHER, "", new FakeDial(port));
      channel.job.begin(guest, channel);
    } catch (IOException e) {
      refuse(Failed.Reason.NOT_FOUND, "nothing in the guest listens on port " + port);
    }
  }

  private void openContext(OpenContext open) {
    boolean silent = open.getLanguage().equals(FakeContext.SILENT);
    if (!silent && !open.getLanguage().equals("python")) {
      refuse(Failed.Reason.NO_SUCH_LANGUAGE, "no kernel for " + open.getLanguage());
      return;
    }
    begin(open(ChannelInfo.Kind.CONTEXT, open.getTag(), new FakeContext(!silent)));
  }

  private FakeChannel open(ChannelInfo.Kind kind, String tag, FakeJob job) {
    if (frame.getChannel() <= state.lastChannel) {
      guest.die(MachineExit.Cause.CRASHED, "channel " + frame.getChannel() + " was used before");
    }
    state.lastChannel = frame.getChannel();
    int pid = kind == ChannelInfo.Kind.OTHER ? 0 : ++state.lastPid;
    FakeChannel channel = new FakeChannel(frame.getChannel(), kind, tag, pid, job);
    state.channels.put(channel.id, channel);
    return channel;
  }

  private void begin(FakeChannel channel) {
    Started.Builder started = Started.newBuilder().setPid(channel.pid).setAsks(channel.asks());
    channel.send(guest.output(), Frame.newBuilder().setStarted(started));
    channel.job.begin(guest, channel);
  }

  private void readFile(ReadFile read) {
    ByteString bytes = state.files.read(read.getPath());
    int from = (int) Math.min(read.getOffset(), bytes.size());
    long wanted = read.getLength() == 0 ? bytes.size() : read.getLength();
    int to = (int) Math.min(bytes.size(), from + wanted);
    FakeChannel channel = open(ChannelInfo.Kind.OTHER, "", new FakeDownload());
    channel.send(guest.output(), Frame.newBuilder().setEntry(state.files.stat(read.getPath())));
    for (int at = from; at < to; at += FrameCodec.MAX_DATA) {
      int length = Math.min(FrameCodec.MAX_DATA, to - at);
      Data.Builder data =
          Data.newBuilder()
              .setStream(Stream.BYTES)
              .setOffset(at)
              .setBytes(bytes.substring(at, at + length));
      channel.send(guest.output(), Frame.newBuilder().setData(data));
    }
    channel.send(
        guest.output(), Frame.newBuilder().setEof(Eof.newBuilder().setStream(Stream.BYTES)));
    channel.job.writable(guest, channel);
  }

  private void list(List list) {
    java.util.List<Entry> found = state.files.list(list.getPath(), list.getDepth());
    int most = list.getMax() == 0 ? found.size() : Math.min(found.size(), list.getMax());
    Entries.Builder entries =
        Entries.newBuilder()
            .addAllEntries(found.subList(0, most))
            .setTruncated(most < found.size());
    send(Frame.newBuilder().setChannel(frame.getChannel()).setEntries(entries));
    answer(Frame.newBuilder().setEof(Eof.getDefaultInstance()));
  }

  private void change() {
    switch (frame.getBodyCase()) {
      case MOVE ->
          state.files.move(
              frame.getMove().getFrom(), frame.getMove().getTo(), frame.getMove().getOverwrite());
      case REMOVE ->
          state.files.remove(frame.getRemove().getPath(), frame.getRemove().getRecursive());
      default ->
          state.files.makeFolder(
              frame.getMakeDir().getPath(),
              frame.getMakeDir().getMode(),
              frame.getMakeDir().getParents());
    }
    answer(Frame.newBuilder().setOk(Ok.getDefaultInstance()));
  }

  private void useChannel() {
    FakeChannel channel = state.channels.get(frame.getChannel());
    if (channel == null) {
      return;
    }
    if (FakeChannel.metered(frame)) {
      channel.received += frame.getSerializedSize();
    }
    switch (frame.getBodyCase()) {
      case CREDIT -> {
        channel.credit(guest.output(), frame.getCredit().getLimit());
        guest.stir();
        channel.job.writable(guest, channel);
      }
      case CLOSE -> {
        state.channels.remove(channel.id);
        channel.sleepNanos = -1;
        send(Frame.newBuilder().setChannel(channel.id).setClosed(Closed.getDefaultInstance()));
        channel.job.closed(guest, channel);
      }
      case CONNECTED, REFUSED -> channel.job.answer(guest, channel, frame);
      case DATA -> channel.job.input(guest, channel, frame.getData().getBytes().toByteArray());
      case EOF -> channel.job.endOfInput(guest, channel);
      case SIGNAL -> {
        // A context's tree is what its kernel started, and a fake kernel starts nothing.
        if (!(channel.job instanceof FakeContext && frame.getSignal().getTree())) {
          signal(channel, frame.getSignal().getNumber());
        }
      }
      case ANSWER -> context(channel).answer(guest, channel, frame.getAnswer());
      case EXECUTE -> context(channel).execute(guest, channel, frame.getExecute());
      case INTERRUPT -> context(channel).interrupt(guest, channel);
      default -> {}
    }
  }

  private static FakeContext context(FakeChannel channel) {
    return (FakeContext) channel.job;
  }

  private void signal(FakeChannel channel, int number) {
    if (channel.running()) {
      guest.exit(
          channel, Exit.newBuilder().setCode(-1).setSignal(number == 0 ? SIGKILL : number).build());
    }
  }

  private void refuse(Failed.Reason reason, String message) {
    answer(Frame.newBuilder().setFailed(Failed.newBuilder().setReason(reason).setMessage(message)));
  }

  /** A one-shot answer, after which there is no channel. */
  private void answer(Frame.Builder answer) {
    state.channels.remove(frame.getChannel());
    state.lastChannel = Math.max(state.lastChannel, frame.getChannel());
    send(answer.setChannel(frame.getChannel()));
  }

  private void send(Frame.Builder answer) {
    guest.output().send(answer.build());
  }
}
