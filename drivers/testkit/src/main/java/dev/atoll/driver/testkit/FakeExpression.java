package dev.atoll.driver.testkit;

import java.util.Map;

/** Whole numbers, strings in quotes, names of variables, sums of these, and a count of threads. */
final class FakeExpression {

  /** What Python would raise. */
  static final class Failure extends RuntimeException {
    final String name;

    Failure(String name, String message) {
      super(message);
      this.name = name;
    }
  }

  /** How many threads a kernel has; a fake one has never more than its own. */
  private static final String THREADS = "__import__('threading').active_count()";

  private FakeExpression() {}

  static Object evaluate(String expression, Map<String, Object> variables) {
    int plus = outsideOfQuotes(expression, '+');
    if (plus < 0) {
      return term(expression.strip(), variables);
    }
    Object left = evaluate(expression.substring(0, plus), variables);
    Object right = evaluate(expression.substring(plus + 1), variables);
    if (left instanceof Long a && right instanceof Long b) {
      return a + b;
    }
    if (left instanceof String a && right instanceof String b) {
      return a + b;
    }
    throw new Failure("TypeError", "unsupported operand type(s) for +");
  }

  /** How Python shows a value by itself. */
  static String display(Object value) {
    return value instanceof String text ? "'" + text + "'" : value.toString();
  }

  private static Object term(String term, Map<String, Object> variables) {
    if (term.matches("-?\\d+")) {
      return Long.valueOf(term);
    }
    if (term.matches("'[^']*'|\"[^\"]*\"")) {
      return term.substring(1, term.length() - 1);
    }
    if (term.equals(THREADS)) {
      return 1L;
    }
    Object value = variables.get(term);
    if (value == null) {
      throw term.matches("\\w+")
          ? new Failure("NameError", "name '" + term + "' is not defined")
          : new Failure("SyntaxError", "invalid syntax: " + term);
    }
    return value;
  }

  /** The last place of the character, so that a chain of sums is worked out from the left. */
  private static int outsideOfQuotes(String text, char wanted) {
    int found = -1;
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote == 0 && (c == '\'' || c == '"')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      } else if (quote == 0 && c == wanted) {
        found = i;
      }
    }
    return found;
  }
}
