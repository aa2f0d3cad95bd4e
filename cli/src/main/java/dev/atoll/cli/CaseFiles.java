package dev.atoll.cli;

import dev.atoll.model.JudgeCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Cases in files.
 *
 * @param pairs input and expected output, with a colon in between
 * @param folder of {@code NAME.in} and {@code NAME.out}
 */
record CaseFiles(List<String> pairs, @Nullable Path folder) {
  private static final String IN = ".in";

  List<JudgeCase> read() throws IOException {
    List<JudgeCase> cases = new ArrayList<>();
    for (String pair : pairs) {
      int colon = pair.indexOf(':');
      if (colon <= 0 || colon == pair.length() - 1) {
        throw new UsageException("--case is INPUT:OUTPUT, two files; not " + pair);
      }
      Path input = Path.of(pair.substring(0, colon));
      cases.add(one(name(input), input, Path.of(pair.substring(colon + 1))));
    }
    if (folder != null) {
      for (Path input : inputs(folder)) {
        String name = name(input);
        cases.add(one(name, input, input.resolveSibling(name + ".out")));
      }
    }
    if (cases.isEmpty()) {
      throw new UsageException("give --case IN:OUT, or --cases FOLDER with NAME.in and NAME.out");
    }
    return cases;
  }

  private static List<Path> inputs(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(IN)).sorted().toList();
    }
  }

  private static String name(Path input) {
    String name = String.valueOf(input.getFileName());
    return name.endsWith(IN) ? name.substring(0, name.length() - IN.length()) : name;
  }

  private static JudgeCase one(String name, Path input, Path output) throws IOException {
    return new JudgeCase(
        name, Files.readString(input), Files.readString(output), null, null, null, null, null);
  }
}
