package dev.atoll.examples;

import dev.atoll.examples.scripted.Script;
import dev.atoll.examples.scripted.Turn;
import java.util.List;
import java.util.Map;

/** What the scripted model says to the examples. */
final class ExampleScripts {
  private ExampleScripts() {}

  static Script[] all() {
    return new Script[] {
      Script.of(
          DataAnalystWithClaude.QUESTION,
          Turn.code(
              "I compute it.",
              """
              import statistics as s
              x = [4, 8, 15, 16, 23, 42]
              print(s.mean(x), s.median(x), round(s.stdev(x), 2))
              """),
          Turn.say("Mean, median and standard deviation: {output}. Not normal: skewed right.")),
      Script.of(
          DataAnalystWithOpenAi.QUESTION,
          Turn.code(
              "",
              """
              import random
              random.seed(42)
              margin = {m: 1 - random.randint(50, 90) / random.randint(100, 200) for m in range(1, 13)}
              print("best", max(margin, key=margin.get) in range(1, 13))
              """),
          Turn.say("Checked: {output}.")),
      Script.of(
          FunctionToolAgent.QUESTION,
          Turn.code("", "print(f'{((3.2 / 1) ** (1 / 5) - 1) * 100:.2f}%')"),
          Turn.say("The growth rate is {output} a year.")),
      Script.of(
          SandboxPerTask.QUESTIONS.get(0),
          Turn.code(
              "",
              """
              def fib(n):
                  a, b = 0, 1
                  for _ in range(n):
                      a, b = b, a + b
                  return a
              print(fib(30))
              """),
          Turn.say("{output}")),
      Script.of(
          SandboxPerTask.QUESTIONS.get(1),
          Turn.code("", "print('fib' in globals())"),
          Turn.say("{output}")),
      Script.of(
          SandboxPerSession.QUESTIONS.get(0),
          Turn.code("", "primes = [n for n in range(2, 100) if all(n % d for d in range(2, n))]"),
          Turn.say("Loaded.")),
      Script.of(
          SandboxPerSession.QUESTIONS.get(1),
          Turn.code("", "print(len(primes))"),
          Turn.say("{output}")),
      Script.of(
          StreamingWithClaude.QUESTION,
          Turn.code("I count.", "for i in range(3): print('line', i)"),
          Turn.say("Done.")),
      Script.of(
          SelfCorrectingAgent.QUESTION,
          Turn.code(
              "",
              """
              import csv
              rows = list(csv.DictReader(open('/tmp/sales.csv')))
              print(sum(float(row['revenue']) for row in rows))
              """),
          Turn.code(
              "There is no such column.",
              "print(sum(int(row['units']) * float(row['price']) for row in rows))"),
          Turn.say("Total revenue: {output}")),
      Script.of(
          InstallOnDemand.QUESTION.formatted("reefdemo"),
          Turn.code("", "import reefdemo; print(reefdemo.answer)"),
          Turn.say("It is missing.")
              .andCall("install_packages", Map.of("packages", List.of("reefdemo"))),
          Turn.code("", "import reefdemo; print(reefdemo.answer)"),
          Turn.say("{output}")),
      Script.of(WarmPool.QUESTION, Turn.code("", "print(2 ** 64)"), Turn.say("{output}")),
      Script.of(
          "Load the series", Turn.code("", "series = [3, 5, 7, 9, 11, 13]"), Turn.say("Loaded.")),
      strategy("the mean", "sum(days) / len(days)"),
      strategy("the median", "sorted(days)[len(days) // 2]"),
      strategy("the last value", "days[-1]"),
      strategy("a linear trend", "2 * days[-1] - days[-2]"),
      strategy("the maximum", "max(days)"),
      Script.of(
          MultiLanguagePipeline.QUESTION,
          Turn.say("")
              .andCall(
                  "run_code",
                  Map.of(
                      "language",
                      "bash",
                      "code",
                      "printf 'one\\n"
                          + "two three\\n"
                          + "four five six\\n"
                          + "' > notes.txt; wc -l < notes.txt")),
          Turn.code(
              "",
              "import json; print(json.dumps({'words': [len(l.split()) for l in"
                  + " open('notes.txt')]}))"),
          Turn.say("{output}")),
      Script.of(AutoGrader.TASK, Turn.say("print(sum(map(int, input().split())))"))
    };
  }

  private static Script strategy(String name, String expression) {
    return Script.of(
        "by " + name + ".",
        Turn.code(
            "",
            """
            def predict(days):
                return %s
            misses = [abs(predict(series[:i]) - series[i]) for i in range(2, len(series))]
            error = sum(misses) / len(misses)
            print(error)
            """
                .formatted(expression)),
        Turn.say("The error is {output}."));
  }
}
