"""The data behind a figure of plotly, in the same form as that of matplotlib's."""
import base64
import struct

MOST_POINTS = 1000
KINDS = {"scatter": "line", "scattergl": "line", "scatterpolar": "line", "bar": "bar", "histogram": "histogram", "pie": "pie", "box": "box", "heatmap": "heatmap",
         "scatter3d": "scatter", "funnel": "bar", "waterfall": "bar", "violin": "box"}
CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}


def chart(figure):
    layout = figure.get("layout", {})
    plots = {}
    for trace in figure.get("data", []):
        found = series(trace)
        if found is not None:
            place = (trace.get("xaxis", "x"), trace.get("yaxis", "y")) if found["type"] != "pie" else ("pie", len(plots))
            plots.setdefault(place, []).append(found)
    if not plots:
        return None
    title = text(layout.get("title"))
    return {**({"title": title} if title else {}), "plots": [plot(place, members, layout) for place, members in plots.items()]}


def plot(place, members, layout):
    kinds = {one["type"] for one in members}
    found = {"type": kinds.pop() if len(kinds) == 1 else "mixed"}
    if place[0] != "pie":
        for name, axis in zip("xy", place):
            given = layout.get(axis.replace(name, name + "axis", 1), {})
            label = text(given.get("title"))
            found[name] = {**({"label": label} if label else {}), "scale": given.get("type", "linear")}
            if isinstance(given.get("range"), list):
                found[name]["range"] = given["range"]
    found["series"] = members
    return found


def series(trace):
    kind = KINDS.get(trace.get("type", "scatter"))
    if kind is None:
        return None
    if kind == "line" and "lines" not in trace.get("mode", "lines"):
        kind = "scatter"
    found = {"type": kind}
    if trace.get("name"):
        found["label"] = str(trace["name"])
    if kind == "pie":
        found["labels"] = [str(label) for label in values(trace.get("labels"))]
        found["y"] = values(trace.get("values"))
        return found
    lists = {name: values(trace.get(name)) for name in ("x", "y", "z") if trace.get(name) is not None}
    count = max(map(len, lists.values()), default=0)
    if count > MOST_POINTS:
        chosen = [i * (count - 1) // (MOST_POINTS - 1) for i in range(MOST_POINTS)]
        lists = {name: [members[i] for i in chosen if i < len(members)] for name, members in lists.items()}
        found["points"] = count
    return {**found, **lists} if count else None


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
