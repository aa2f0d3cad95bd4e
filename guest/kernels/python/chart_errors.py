"""How far values may be off: error bars of matplotlib, and the intervals that seaborn draws as lines over its bars."""
from atoll_kernel import chart_values as values

# Points of such a line: without caps, and with a cap at each end.
POINTS = (2, 8)


def of(container, x, y):
    """The members xError and yError of a series, from its container."""
    found = {}
    collections = list(container[2])
    for name, there, middle, column in (("xError", container.has_xerr, x, 0), ("yError", container.has_yerr, y, 1)):
        if there and collections:
            ends = [(segment[0][column], segment[-1][column]) for segment in collections.pop(0).get_segments()]
            if len(ends) == len(middle):
                found[name] = [distances(value, *end) for value, end in zip(middle, ends)]
    return found


def distances(value, low, high):
    """How far below and above a value its interval reaches; null where there is none."""
    if value is None or isinstance(value, str) or low != low or high != high:
        return None
    return [round(float(value) - float(low), 12), round(float(high) - float(value), 12)]


def lines_of(axes):
    """Error bars that have points of their own: id of their line → container."""
    return {id(one[0]): one for one in axes.containers if type(one).__name__ == "ErrorbarContainer" and one[0] is not None}


class BarIntervals:
    """The lines of an axes that stand on the middle of its bars, each of which tells the interval of one."""

    def __init__(self, axes):
        self.lines = set()
        self.ends = {}
        bars = [(container.orientation == "horizontal", bar) for container in axes.containers if type(container).__name__ == "BarContainer" for bar in container]
        for line in axes.lines if bars else ():
            if not all(line.get_transform().contains_branch_seperately(axes.transData)):
                continue  # Across the whole plot.
            for lying, bar in bars:
                ends = interval(line, lying, bar)
                if ends is not None:
                    self.lines.add(id(line))
                    self.ends[id(bar)] = ends
                    break

    def errors(self, container, amounts):
        """The member for a series of bars, if any of them has an interval."""
        found = [distances(amount, *self.ends.get(id(bar), (float("nan"),) * 2)) for bar, amount in zip(container, amounts)]
        return {"xError" if container.orientation == "horizontal" else "yError": found} if any(found) else {}


def interval(line, lying, bar):
    """The ends of a line that stands on the middle of a bar and reaches over its end."""
    x, y = values.numbers(line.get_xdata()), values.numbers(line.get_ydata())
    along, across = (y, x) if lying else (x, y)
    if len(along) not in POINTS:
        return None
    # Of a line with caps, the part between them.
    stem = slice(3, 5) if len(along) == 8 else slice(None)
    middle = bar.get_y() + bar.get_height() / 2 if lying else bar.get_x() + bar.get_width() / 2
    if any(abs(place - middle) > 1e-6 or place != place for place in along[stem]):
        return None
    low, high = sorted(across[stem].tolist())
    amount = bar.get_width() if lying else bar.get_height()
    return None if low > amount or high < amount else (low, high)
