"""The data behind a figure of plotly, in the same form as that of matplotlib's."""
import base64
import re
import struct

MOST_POINTS = 1000
MOST_ROWS = 100
KINDS = {"scatter": "line", "scattergl": "line", "scatterpolar": "line", "scatterpolargl": "line", "bar": "bar", "barpolar": "bar", "histogram": "histogram", "pie": "pie",
         "box": "box", "violin": "violin", "heatmap": "heatmap", "contour": "contour", "scatter3d": "line", "surface": "surface", "mesh3d": "surface", "cone": "quiver",
         "streamtube": "streamplot", "funnel": "bar", "waterfall": "bar"}
SOLID = frozenset(("scatter3d", "surface", "mesh3d", "cone", "streamtube"))
POLAR = frozenset(("scatterpolar", "scatterpolargl", "barpolar"))
COORDINATES = ("x", "y", "z", "u", "v", "w")
CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}
DATE = re.compile(r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d.*)?)?$")


def chart(figure):
    layout = figure.get("layout", {})
    plots = {}
    for trace in figure.get("data", []):
        found = series(trace)
        if found is not None:
            plots.setdefault(place(trace, len(plots)), []).append(found)
    if not plots:
        return None
    title = text(layout.get("title"))
    return {**({"title": title} if title else {}), "plots": [plot(where, members, layout) for where, members in plots.items()]}


def place(trace, number):
    """What a trace shares with others: its kind of plot, and the name of its part of the layout."""
    kind = trace.get("type", "scatter")
    if kind == "pie":
        return "pie", number
    if kind in SOLID:
        return "scene", trace.get("scene", "scene")
    if kind in POLAR:
        return "polar", trace.get("subplot", "polar")
    return "plane", trace.get("xaxis", "x"), trace.get("yaxis", "y")


def plot(where, members, layout):
    kinds = {one["type"] for one in members}
    found = {"type": kinds.pop() if len(kinds) == 1 else "mixed"}
    if where[0] == "polar":
        found["projection"] = "polar"
    for name, given in axes(where, layout).items():
        found[name] = axis(given, [value for one in members for value in one.get(name, ())])
    found["series"] = members
    return found


def axes(where, layout):
    """Name of a coordinate → what the layout says of its axis."""
    if where[0] == "plane":
        return {name: layout.get(axis.replace(name, name + "axis", 1), {}) for name, axis in zip("xy", where[1:])}
    part = layout.get(where[1], {}) if where[0] != "pie" else {}
    if where[0] == "scene":
        return {name: part.get(name + "axis", {}) for name in "xyz"}
    return {"x": part.get("angularaxis", {}), "y": part.get("radialaxis", {})} if where[0] == "polar" else {}


def axis(given, members):
    label = text(given.get("title"))
    kind = given.get("type")
    found = {**({"label": label} if label else {}), "scale": kind if kind not in (None, "-") else scale(members)}
    if isinstance(given.get("range"), list):
        found["range"] = given["range"]
    return found


def scale(members):
    """As plotly itself decides, by what is shown along an axis."""
    texts = [member for member in members if isinstance(member, str)]
    if not texts:
        return "linear"
    return "date" if all(DATE.match(member) for member in texts) else "category"


def series(trace):
    kind = KINDS.get(trace.get("type", "scatter"))
    if kind is None:
        return None
    if kind == "line" and "lines" not in (trace.get("mode") or "lines"):
        kind = "scatter"
    found = {"type": kind}
    if trace.get("name"):
        found["label"] = str(trace["name"])
    if kind == "pie":
        found["labels"] = [str(label) for label in values(trace.get("labels"))]
        found["y"] = values(trace.get("values"))
        return found
    lists = {name: values(trace.get(name)) for name in COORDINATES if trace.get(name) is not None}
    if trace.get("type") in POLAR:
        lists = {"x": values(trace.get("theta")), "y": values(trace.get("r"))}
    lists.update(errors(trace))
    lists = {name: members for name, members in lists.items() if members}
    thinned(found, lists)
    return {**found, **lists} if lists else None


def errors(trace):
    """As far as they are listed, point by point."""
    found = {}
    for given, name in (("error_x", "xError"), ("error_y", "yError")):
        error = trace.get(given) or {}
        above = values(error.get("array"))
        below = values(error.get("arrayminus")) or above
        if above and error.get("visible", True):
            found[name] = [[low, high] for low, high in zip(below, above)]
    return found


def thinned(found, lists):
    """Of very many points some; of a fine grid every so many rows and columns."""
    if lists.get("z") and isinstance(lists["z"][0], list):
        rows, columns = len(lists["z"]), max(map(len, lists["z"]))
        down, across = -(-rows // MOST_ROWS), -(-columns // MOST_ROWS)
        if max(down, across) > 1:
            found["points"] = rows * columns
            lists["z"] = [row[::across] for row in lists["z"][::down]]
            for name, step in (("x", across), ("y", down)):
                if name in lists:
                    lists[name] = lists[name][::step]
        return
    count = max(map(len, lists.values()), default=0)
    if count > MOST_POINTS:
        chosen = [i * (count - 1) // (MOST_POINTS - 1) for i in range(MOST_POINTS)]
        lists.update({name: [members[i] for i in chosen if i < len(members)] for name, members in lists.items()})
        found["points"] = count


def text(title):
    return title.get("text") if isinstance(title, dict) else title


def values(given):
    """Plotly writes arrays of numbers as base64 with their type."""
    if not isinstance(given, dict):
        return list(given or [])
    code = CODES[given["dtype"]]
    data = base64.b64decode(given["bdata"])
    flat = list(struct.unpack("<" + str(len(data) // struct.calcsize(code)) + code, data))
    shape = [int(part) for part in str(given.get("shape", "")).split(",") if part.strip()]
    if len(shape) == 2:
        return [flat[row * shape[1]:(row + 1) * shape[1]] for row in range(shape[0])]
    return flat
