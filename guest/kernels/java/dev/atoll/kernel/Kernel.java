package dev.atoll.kernel;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import sun.misc.Signal;

/**
 * Atoll's Java kernel: runs code like the cells of a notebook, in one JShell whose code runs in this
 * very process. It talks to the agent over descriptors 3 and 4 as PROTOCOL.md says.
 *
 * <p>A thread of its own reads messages, so that an interrupt is heard while code runs.
 */
public final class Kernel {
  private static final int CODE_FD = 3;
  private static final int ANSWER_FD = 4;

  private record Message(char kind, byte[] payload) {}

  private final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
  private final DataInputStream input;
  private final FileOutputStream output;
  private final Cells cells = new Cells();
  private final Environment environment = new Environment();
  private final StringBuilder pieces = new StringBuilder();
  private final Questions questions = new Questions(this::send);

  private Kernel() throws ReflectiveOperationException {
    input = new DataInputStream(new FileInputStream(descriptor(CODE_FD)));
    output = new FileOutputStream(descriptor(ANSWER_FD));
  }

  public static void main(String[] arguments) throws Exception {
    System.setOut(unbuffered(FileDescriptor.out));
    System.setErr(unbuffered(FileDescriptor.err));
    // It is told to the kernel by a message; the signal is for the processes that code has started.
    Signal.handle(new Signal("INT"), signal -> {});
    Kernel kernel = new Kernel();
    System.setIn(kernel.questions);
    if (arguments.length > 0) {
      // Only warms the archive of classes up that the next starts read.
      kernel.cells.run("int x = 1;\nx + 1");
      return;
    }
    Thread reader = new Thread(kernel::read, "atoll-control");
    reader.setDaemon(true);
    reader.start();
    kernel.send('R', new byte[] {0, 0, 1});
    try {
      kernel.serve();
    } finally {
      // Threads that code has left running must not keep a kernel alive that serves no more.
      Runtime.getRuntime().halt(1);
    }
  }

  /** The JDK opens no descriptor by its number. */
  private static FileDescriptor descriptor(int number) throws ReflectiveOperationException {
    FileDescriptor descriptor = new FileDescriptor();
    Field field = FileDescriptor.class.getDeclaredField("fd");
    field.setAccessible(true);
    field.setInt(descriptor, number);
    return descriptor;
  }

  private static PrintStream unbuffered(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }

  private void read() {
    try {
      while (true) {
        char kind = (char) input.readUnsignedByte();
        byte[] payload = input.readNBytes(input.readInt());
        if (kind == 'I') {
          // All code before it has been announced to the session by now.
          cells.interrupt();
        } else if (kind == 'A') {
          questions.answer(payload);
        } else {
          if (kind == 'T') {
            questions.askAgain();
          }
          if (kind == 'X') {
            cells.expect();
          }
          messages.add(new Message(kind, payload));
        }
      }
    } catch (EOFException e) {
      Runtime.getRuntime().halt(0);
    } catch (IOException e) {
      Runtime.getRuntime().halt(1);
    }
  }

  private void serve() throws InterruptedException, IOException {
    while (true) {
      Message message = messages.take();
      switch (message.kind()) {
        case 'O' -> open(texts(message.payload(), 0));
        case 'E' -> pieces.append(text(message.payload()));
        case 'Q' -> questions.announce();
        case 'V' -> environment.lend(pairs(texts(message.payload(), 0)));
        case 'X' -> execute(message.payload());
        case 'T' -> thaw(message.payload());
        default -> {}
      }
    }
  }

  private void execute(byte[] last) throws IOException {
    String code = pieces.append(text(last)).toString();
    pieces.setLength(0);
    questions.begin();
    Answer answer = cells.run(code);
    questions.end();
    System.out.flush();
    System.err.flush();
    environment.takeBack();
    if (answer != null) {
      send(answer.kind(), answer.json().getBytes(StandardCharsets.UTF_8));
    }
    send('D', new byte[0]);
  }

  private void open(List<String> texts) throws IOException {
    int end = 1;
    while (!texts.get(end).isEmpty()) {
      end++;
    }
    environment.open(pairs(texts.subList(1, end)), pairs(texts.subList(end + 1, texts.size())));
    int failure = WorkingDirectory.enter(texts.getFirst());
    send('O', new byte[] {(byte) failure});
  }

  private void thaw(byte[] payload) throws IOException {
    int end = 1 + Byte.toUnsignedInt(payload[0]);
    environment.thaw(pairs(texts(payload, end)));
    Randomness.reseed(Arrays.copyOfRange(payload, 1, end));
    send('T', new byte[0]);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** What ends with NUL each. */
  private static List<String> texts(byte[] payload, int from) {
    List<String> texts = new ArrayList<>();
    int start = from;
    for (int i = from; i < payload.length; i++) {
      if (payload[i] == 0) {
        texts.add(new String(payload, start, i - start, StandardCharsets.UTF_8));
        start = i + 1;
      }
    }
    return texts;
  }

  private static Map<String, String> pairs(List<String> texts) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String text : texts) {
      int equals = text.indexOf('=', 1);
      if (equals > 0) {
        pairs.put(text.substring(0, equals), text.substring(equals + 1));
      }
    }
    return pairs;
  }

  private synchronized void send(char kind, byte[] payload) throws IOException {
    ByteBuffer message = ByteBuffer.allocate(5 + payload.length);
    message.put((byte) kind).putInt(payload.length).put(payload);
    output.write(message.array());
  }
}
