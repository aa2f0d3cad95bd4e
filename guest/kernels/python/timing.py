"""%timeit: how long a statement takes, by repetition."""
import re
import timeit as timer

OPTION = re.compile(r"-(?:([nrp])\s*(\d+)|([oqtc]))(?=\s|$)\s*")
RUNS = 7


class TimeitResult:
    """What `%timeit -o` gives: the seconds that each run took, by loop."""

    def __init__(self, loops, repeat, all_runs, precision=3):
        self.loops, self.repeat, self.all_runs, self.precision = loops, repeat, all_runs, precision
        self.timings = [seconds / loops for seconds in all_runs]

    @property
    def best(self):
        return min(self.timings)

    @property
    def worst(self):
        return max(self.timings)

    @property
    def average(self):
        return sum(self.timings) / len(self.timings)

    @property
    def stdev(self):
        return (sum((seconds - self.average) ** 2 for seconds in self.timings) / len(self.timings)) ** 0.5

    def __str__(self):
        from atoll_kernel.magics import duration
        runs = "run" if self.repeat == 1 else "runs"
        loops = "loop" if self.loops == 1 else "loops"
        return (f"{duration(self.average, self.precision)} ± {duration(self.stdev, self.precision)} per loop"
                f" (mean ± std. dev. of {self.repeat} {runs}, {self.loops:,} {loops} each)")

    def __repr__(self):
        return f"<TimeitResult : {self}>"


def timeit(line, cell, namespace):
    """Measures the line, or the cell after the line as its preparation."""
    options, rest = parsed(line)
    statement, setup = (rest, "pass") if cell is None else (cell, rest or "pass")
    measured = timer.Timer(statement.strip() or "pass", setup, globals=namespace)
    loops = options.get("n") or measured.autorange()[0]
    repeat = max(1, options.get("r", RUNS))
    result = TimeitResult(loops, repeat, measured.repeat(repeat, loops), options.get("p", 3))
    if "q" not in options:
        print(result)
    return result if "o" in options else None


def parsed(line):
    """The options that a line begins with, and the rest; what only looks like one, such as the minus of -x, is left."""
    options, rest = {}, line.lstrip()
    while (match := OPTION.match(rest)) is not None:
        options[match[1] or match[3]] = int(match[2]) if match[1] else True
        rest = rest[match.end():]
    return options, rest
