package dev.atoll.examples.demo;

import dev.atoll.examples.scripted.Script;
import dev.atoll.examples.scripted.Turn;

/** What the scripted model says in the demo, and the tasks that a real one gets as well. */
final class DemoScript {
  static final String LOAD =
      "The numbers of visitors of ten days are 120, 132, 145, 151, 168, 177, 190, 203, 214, 229."
          + " Put them into the variable `series` and into the file visitors.csv with the columns"
          + " day and visitors, then read the file again and tell me the mean.";
  static final String NEXT =
      "Use `predict` to forecast the visitors of the eleventh day, and answer in one sentence.";

  private DemoScript() {}

  static String strategy(int branch) {
    String way =
        switch (branch) {
          case 1 -> "the mean of the days before";
          case 2 -> "the last day";
          default -> "the last day plus the mean growth so far";
        };
    return "Write a function predict(days) that forecasts the next value by "
        + way
        + ". Test it on `series`, from the third day on, and put the mean absolute error into the"
        + " variable `error`. Say how large it is.";
  }

  static Script[] scripts() {
    return new Script[] {
      Script.of(
          LOAD,
          Turn.code(
              "I write the file, read it again, and compute the mean.",
              """
              series = [120, 132, 145, 151, 168, 177, 190, 203, 214, 229]
              with open("visitors.csv", "w") as f:
                  f.write("day,visitors\\n")
                  f.writelines(f"{d},{v}\\n" for d, v in enumerate(series, 1))

              import csv
              rows = list(csv.DictReader(open("visitors.csv")))
              print(sum(row["visitors"] for row in rows) / len(rows))
              """),
          Turn.code(
              "What comes from a CSV file is text. The rows are still there; I convert them.",
              "print(sum(int(row['visitors']) for row in rows) / len(rows))"),
          Turn.say("The mean is {output} visitors a day.")),
      branch("the mean of the days before", "sum(days) / len(days)"),
      branch("the last day plus", "days[-1] + (days[-1] - days[0]) / (len(days) - 1)"),
      branch("by the last day", "days[-1]"),
      Script.of(
          NEXT,
          Turn.code("The function is the one that won.", "print(round(predict(series)))"),
          Turn.say("About {output} visitors are to be expected on the eleventh day."))
    };
  }

  private static Script branch(String words, String expression) {
    return Script.of(
        words,
        Turn.code(
            "",
            """
            def predict(days):
                return %s

            misses = [abs(predict(series[:i]) - series[i]) for i in range(2, len(series))]
            error = sum(misses) / len(misses)
            print(f"{error:.1f}")
            """
                .formatted(expression)),
        Turn.say("The mean absolute error is {output}."));
  }
}
