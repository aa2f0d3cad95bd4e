"""The rarer kinds of plots: contours, violins, vectors, streams, hexagons, outlines of histograms, surfaces."""
import numpy

from atoll_kernel import chart_values as values
from atoll_kernel.chart_notes import noted


def series(axes):
    for kind in (violins, contours, vectors, streams, hexagons, steps, surfaces):
        yield from kind(axes)


def label_of(artist):
    label = str(artist.get_label() or "")
    return label if label and not label.startswith("_") else None


def with_label(found, label):
    return {**found, "label": label} if label else found


def violins(axes):
    for groups, positions, lying in noted(axes, "violins"):
        places = values.named(axes, "y" if lying else "x", positions, nearest=True)
        yield {"type": "violin", "labels": [str(place) for place in places], "boxes": [box(group) for group in groups]}
    yield from DrawnViolins(axes).series(axes)


class DrawnViolins:
    """Violins of seaborn: each has a line from end to end, one between the quartiles and a point at the median, all in one place."""

    def __init__(self, axes):
        self.lines = set()
        self.found = []
        if not any("PolyCollection" in type(shape).__name__ for shape in axes.collections):
            return
        lines = list(axes.lines)
        for whole, half, point in zip(lines, lines[1:], lines[2:]):
            if [len(line.get_xdata()) for line in (whole, half, point)] == [2, 2, 1]:
                self.take(whole, half, point)

    def take(self, *lines):
        x, y = ([values.numbers(getattr(line, name)()) for line in lines] for name in ("get_xdata", "get_ydata"))
        for name, places, reach in (("x", x, y), ("y", y, x)):
            if len({float(place) for line in places for place in line}) == 1:
                low, q1, median, q3, high = reach[0][0], reach[1][0], reach[2][0], reach[1][1], reach[0][1]
                if low <= q1 <= median <= q3 <= high:
                    self.lines.update(map(id, lines))
                    self.found.append((name, float(places[0][0]), {"low": float(low), "q1": float(q1), "median": float(median), "q3": float(q3), "high": float(high), "outliers": []}))
                return

    def series(self, axes):
        for name in "xy":
            mine = [(place, found) for where, place, found in self.found if where == name]
            if mine:
                labels = values.named(axes, name, [place for place, _ in mine], nearest=True)
                yield {"type": "violin", "labels": [str(label) for label in labels], "boxes": [found for _, found in mine]}


def box(numbers):
    low, q1, median, q3, high = numpy.percentile(numbers, [0, 25, 50, 75, 100]).tolist()
    return {"low": low, "q1": q1, "median": median, "q3": q3, "high": high, "outliers": []}


def contours(axes):
    for grid, levels in noted(axes, "contours"):
        yield {"type": "contour", **values.grid(*grid), "levels": values.plain(levels)}


def surfaces(axes):
    for grid, artist in noted(axes, "surfaces"):
        yield with_label({"type": "surface", **values.grid(*grid)}, label_of(artist))


def vectors(axes):
    for arrows in axes.collections:
        if type(arrows).__name__ == "Quiver" and arrows.get_visible():
            yield from values.series("quiver", label_of(arrows), x=arrows.X, y=arrows.Y, u=arrows.U, v=arrows.V)


def streams(axes):
    for x, y, u, v in noted(axes, "streams"):
        along = values.grid(x, y, u)
        across = values.grid(x, y, v)
        found = {"type": "streamplot", "u": along.pop("z"), **along}
        yield {**found, "v": across["z"]}


def hexagons(axes):
    for hexes in noted(axes, "hexagons"):
        centres = hexes.get_offsets()
        yield from values.series("hexbin", label_of(hexes), x=centres[:, 0], y=centres[:, 1], z=hexes.get_array())


def steps(axes):
    for counts, edges, outline, lying in noted(axes, "steps"):
        name, other = ("y", "x") if lying else ("x", "y")
        yield from values.series("histogram", label_of(outline), **{name: edges, other: counts})
