package dev.atoll.cli;

import dev.atoll.model.FileDifference;
import dev.atoll.model.StateDiff;
import dev.atoll.model.VariableDifference;
import dev.atoll.model.Visible;
import org.jspecify.annotations.Nullable;

/**
 * Prints what differs between two states. A terminal gets colours, and never the control characters
 * that files and variables may hold; a pipe gets the text of files as it is.
 */
final class DiffPrinter {
  private static final String BOLD = "\u001b[1m";
  private static final String RED = "\u001b[31m";
  private static final String GREEN = "\u001b[32m";
  private static final String CYAN = "\u001b[36m";
  private static final String PLAIN = "\u001b[0m";

  private final Stdio stdio;

  DiffPrinter(Stdio stdio) {
    this.stdio = stdio;
  }

  /** Names and sizes. */
  void names(StateDiff diff) {
    Table table = new Table("CHANGE", "KIND", "NAME", "SIZE");
    for (FileDifference file : diff.files()) {
      table.row(file.change().wire(), file.kind().wire(), Visible.line(file.path()), sizes(file));
    }
    for (VariableDifference variable : diff.variables()) {
      table.row(variable.change().wire(), "variable", name(variable), "");
    }
    table.print(stdio);
  }

  /** Everything that is known. */
  void content(StateDiff diff) {
    diff.files().forEach(this::file);
    diff.variables().forEach(this::variable);
  }

  private void file(FileDifference file) {
    String kind = file.kind().wire();
    heading(
        file.change().wire() + " " + kind + " " + Visible.line(file.path()), "  " + sizes(file));
    if (file.unified() != null) {
      file.unified().lines().forEach(this::line);
    }
  }

  private void variable(VariableDifference variable) {
    heading(variable.change().wire() + " variable " + name(variable), "");
    value("-", variable.from());
    value("+", variable.to());
  }

  private void heading(String text, String rest) {
    String shown = stdio.colour() ? BOLD + text + PLAIN : text;
    stdio.out().println((shown + rest).stripTrailing());
  }

  private void value(String sign, @Nullable String value) {
    if (value != null) {
      line(sign + Visible.line(value));
    }
  }

  private void line(String text) {
    String safe = stdio.outTerminal() ? Visible.line(text.replace("\t", "        ")) : text;
    String colour = stdio.colour() ? colour(text) : "";
    stdio.out().println(colour.isEmpty() ? safe : colour + safe + PLAIN);
  }

  private static String colour(String line) {
    if (line.startsWith("+++") || line.startsWith("---")) {
      return BOLD;
    }
    if (line.startsWith("@@")) {
      return CYAN;
    }
    if (line.startsWith("+")) {
      return GREEN;
    }
    return line.startsWith("-") ? RED : "";
  }

  private static String name(VariableDifference variable) {
    return Visible.line(variable.name()) + " (" + Visible.line(variable.context()) + ")";
  }

  private static String sizes(FileDifference file) {
    Long from = file.fromSize();
    Long to = file.toSize();
    if (from == null || to == null) {
      Long one = from == null ? to : from;
      return one == null ? "" : Bytes.brief(one);
    }
    return Bytes.brief(from) + " -> " + Bytes.brief(to);
  }
}
