package dev.atoll.cli;

import dev.atoll.model.Visible;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Columns for people: as wide as needed, two spaces apart. Whoever named what is in them, a cell is
 * one line that does nothing to a terminal.
 */
final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... titles) {
    rows.add(List.of(titles));
  }

  void row(String... cells) {
    rows.add(Stream.of(cells).map(Visible::line).toList());
  }

  void print(Stdio stdio) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (int i = 0; i < rows.size(); i++) {
      String line = line(rows.get(i), widths);
      boolean bold = i == 0 && stdio.colour();
      stdio.out().println(bold ? "\u001b[1m" + line + "\u001b[0m" : line);
    }
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = row.get(i);
      line.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
    }
    return line.toString().stripTrailing();
  }
}
