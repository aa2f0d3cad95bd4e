"""Values of charts as JSON: numbers, names of categories, times as text; and what an axis of matplotlib says of them."""
import datetime

import numpy
from matplotlib import colors, dates

MOST_POINTS = 1000
MOST_ROWS = 100
FIXED = frozenset(("FixedFormatter", "StrCategoryFormatter"))


def plain(sequence):
    """A list of numbers, texts and None where there is a gap."""
    if isinstance(sequence, numpy.ma.MaskedArray) and sequence.mask.any():
        return [None if hidden else one(value) for value, hidden in zip(sequence.data.ravel().tolist(), numpy.ma.getmaskarray(sequence).ravel())]
    array = numpy.asarray(sequence).ravel()
    if array.dtype.kind == "M":
        return [None if text == "NaT" else text for text in numpy.datetime_as_string(array, unit="auto").tolist()] if len(array) else []
    return [one(value) for value in array.tolist()]


def one(value):
    if isinstance(value, float):
        return value if value - value == 0 else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def series(kind, label, **lists):
    """One series; nothing when it has no points, and some of them when there are too many."""
    lists = {name: members if isinstance(members, list) else plain(members) for name, members in lists.items()}
    lists = {name: members for name, members in lists.items() if members}
    count = max(map(len, lists.values()), default=0)
    if count == 0:
        return
    found = {"type": kind} if label is None else {"type": kind, "label": label}
    if count > MOST_POINTS + 1:
        chosen = numpy.linspace(0, count - 1, MOST_POINTS).astype(int).tolist()
        lists = {name: [members[i] for i in chosen if i < len(members)] for name, members in lists.items()}
        found["points"] = count
    yield {**found, **lists}


def numbers(sequence):
    """As an array of floats, with gaps where there is no number."""
    return numpy.ma.filled(numpy.ma.asarray(sequence, dtype=float), numpy.nan).ravel()


def grid(x, y, z):
    """Values over a grid, row by row, and where its rows and columns are; of a fine one every so many."""
    z = numpy.ma.asarray(z)
    steps = [max(1, -(-size // MOST_ROWS)) for size in z.shape]
    chosen = tuple(slice(None, None, step) for step in steps)
    found = {"z": [plain(row) for row in z[chosen]]}
    if max(steps) > 1:
        found["points"] = int(z.size)
    if x is None or y is None:
        return found
    x, y = numpy.asarray(x), numpy.asarray(y)
    if x.ndim == 1:
        return {"x": plain(x[chosen[1]]), "y": plain(y[chosen[0]]), **found}
    if (x == x[0]).all() and (y.T == y[:, 0]).all():
        return {"x": plain(x[0][chosen[1]]), "y": plain(y[:, 0][chosen[0]]), **found}
    # Bent: each point has its own place.
    return {"x": [plain(row) for row in x[chosen]], "y": [plain(row) for row in y[chosen]], **found}


def touching(starts, sizes):
    """Whether bars stand side by side without a gap, as those of a histogram do."""
    if len(starts) < 2:
        return False
    tolerance = 1e-6 * max(map(abs, sizes))
    return all(abs(start + size - after) <= tolerance for start, size, after in zip(starts, sizes, starts[1:]))


# Axes.

def axis(axes, name):
    kind = scale(axes, name)
    label = getattr(axes, f"get_{name}label")()
    found = {"label": label} if label else {}
    found["scale"] = kind
    ends = getattr(axes, f"get_{name}lim")()
    if kind == "date":
        found["range"] = [time(end) for end in ends]
    elif kind != "category":
        found["range"] = plain(ends)
    return found


def scale(axes, name):
    if "Date" in type(getattr(axes, name + "axis").get_major_formatter()).__name__:
        return "date"
    if ticks(axes, name):
        return "category"
    return getattr(axes, f"get_{name}scale")()


def ticks(axes, name):
    """Position → name of an axis whose ticks are names."""
    of = getattr(axes, name + "axis")
    formatter = of.get_major_formatter()
    kind = type(formatter).__name__
    # The second is what set_xticks(places, labels) makes.
    if kind not in FIXED and not (kind == "FuncFormatter" and type(of.get_major_locator()).__name__ == "FixedLocator"):
        return {}
    places = of.get_majorticklocs()
    return {float(place): str(text) for place, text in zip(places, formatter.format_ticks(places)) if str(text)}


def named(axes, name, sequence, nearest=False):
    """Values along an axis as it shows them: names of categories, times, numbers."""
    found = plain(sequence)
    kind = scale(axes, name)
    if kind == "date":
        return [time(value) if isinstance(value, (int, float)) else value for value in found]
    if kind == "category":
        names = ticks(axes, name)
        reach = 0.5 if nearest else 1e-6
        translated = [at(names, value, reach) if isinstance(value, (int, float)) else value for value in found]
        # Where only some values have a name, all are told as numbers.
        return found if None in translated else translated
    return found


def at(names, value, reach):
    place = min(names, key=lambda known: abs(known - value))
    return names[place] if abs(place - value) <= reach else None


def time(number):
    moment = dates.num2date(number)
    text = moment.replace(tzinfo=None).isoformat(timespec="seconds" if moment.microsecond == 0 else "microseconds")
    return text.removesuffix("T00:00:00")


# Legends.

def rgb(colour):
    return colors.to_rgba(colour)[:3]


def legend(axes):
    """Colour → label, for labels that the legend has and no artist: seaborn, for one, makes legends so."""
    box = axes.get_legend() or next(iter(getattr(axes.get_figure(), "legends", ())), None)
    own = {artist.get_label() for artist in (*axes.lines, *axes.collections, *axes.containers, *axes.patches) if drawn(artist)}
    found = {}
    for handle, text in zip(getattr(box, "legend_handles", ()), box.get_texts() if box is not None else ()):
        for reader in ("get_markerfacecolor", "get_facecolor", "get_color"):
            try:
                colour = getattr(handle, reader)()
                colour = colour[0] if getattr(colour, "ndim", 1) == 2 else colour
                if text.get_text() not in own:
                    found.setdefault(rgb(colour), text.get_text())
                break
            except (AttributeError, ValueError, IndexError):
                continue
    return found


def drawn(artist):
    """Whether there is anything of it; some are made for the legend alone."""
    if hasattr(artist, "get_xdata"):
        return len(artist.get_xdata()) > 0
    return not hasattr(artist, "get_width") or bool(artist.get_width() or artist.get_height())


def groups(axes, colours, count):
    """Label → indices of points of one colour, when every point has a colour of the legend."""
    known = legend(axes)
    if len(colours) != count or len(known) < 2:
        return None
    found = {}
    for i, colour in enumerate(colours):
        label = known.get(rgb(colour))
        if label is None:
            return None
        found.setdefault(label, []).append(i)
    return found
