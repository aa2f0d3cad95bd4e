package dev.atoll.engine.image;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What an {@link UnpackProgram} is asked for.
 *
 * @param root the tree, as the program sees it
 * @param mostBytes that all files may have together
 * @param steps in their order
 */
record UnpackRequest(String root, long mostBytes, List<Step> steps) {
  private static final int MOST_STEPS = 1000;

  UnpackRequest {
    steps = List.copyOf(steps);
  }

  /**
   * One thing to do to the tree.
   *
   * @param file as the program sees it; empty for what comes on its standard input
   */
  record Step(Unpacker.Kind kind, String file) {}

  void write(DataOutputStream out) throws IOException {
    out.writeUTF(root);
    out.writeLong(mostBytes);
    out.writeInt(steps.size());
    for (Step step : steps) {
      out.writeUTF(step.kind().name());
      out.writeUTF(step.file());
    }
    out.flush();
  }

  static UnpackRequest read(DataInputStream in) throws IOException {
    String root = in.readUTF();
    long mostBytes = in.readLong();
    int count = in.readInt();
    if (count < 0 || count > MOST_STEPS) {
      throw new IOException(count + " steps");
    }
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(new Step(Unpacker.Kind.valueOf(in.readUTF()), in.readUTF()));
    }
    return new UnpackRequest(root, mostBytes, steps);
  }
}
