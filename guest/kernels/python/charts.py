"""The data behind a figure of matplotlib: title, axes and series, so that a program can read what a person sees."""
from atoll_kernel import chart_errors, chart_kinds
from atoll_kernel import chart_values as values
from atoll_kernel.chart_notes import noted, skipped

MOST_ANNOTATIONS = 100
MOST_CELLS = 10000


def chart(figure):
    """The chart as JSON, or None when there is nothing that could be told."""
    plots = []
    for axes in figure.axes:
        if axes.get_visible() and axes.get_label() != "<colorbar>":
            try:
                found = plot(axes)
            except Exception:
                continue  # An artist that is made otherwise than usual; the picture is there anyway.
            if found is not None:
                plots.append(found)
    if not plots:
        return None
    title = getattr(figure, "_suptitle", None)
    return {**without_none(title=title.get_text() if title is not None else None), "plots": plots}


def plot(axes):
    series = pies(axes) or [*boxes(axes), *bars(axes), *lines(axes), *scatters(axes), *areas(axes), *heatmaps(axes), *chart_kinds.series(axes)]
    if not series:
        return None
    kinds = {one["type"] for one in series}
    kind = kinds.pop() if len(kinds) == 1 else "mixed"
    found = without_none(type=kind, title=title_of(axes), projection="polar" if axes.name == "polar" else None)
    if kind != "pie":
        for name in ("x", "y", "z"):
            if hasattr(axes, name + "axis"):
                found[name] = values.axis(axes, name)
        texts = [text.get_text() for text in axes.texts if text.get_text().strip()]
        if texts:
            found["annotations"] = texts[:MOST_ANNOTATIONS]
    found["series"] = series
    return found


def title_of(axes):
    return next((text for text in map(axes.get_title, ("center", "left", "right")) if text), None)


def without_none(**members):
    return {name: value for name, value in members.items() if value not in (None, "")}


def label_of(artist, axes, colour=None):
    """As in the legend: by the artist's own label, or by its colour."""
    label = str(artist.get_label() or "")
    if label and not label.startswith("_"):
        return label
    return values.legend(axes).get(values.rgb(colour)) if colour is not None else None


def lines(axes):
    hidden = skipped(axes) | chart_errors.BarIntervals(axes).lines | chart_kinds.DrawnViolins(axes).lines
    with_errors = chart_errors.lines_of(axes)
    for container in axes.containers:
        # The caps of error bars, and bars themselves.
        hidden.update(id(part) for part in (container[1] if type(container).__name__ == "ErrorbarContainer" else ()))
    for line in axes.lines:
        if id(line) in hidden or not line.get_visible():
            continue
        kind = "scatter" if line.get_linestyle() in ("None", " ", "") else "line"
        if hasattr(line, "get_data_3d"):
            x, y, z = line.get_data_3d()
            yield from values.series(kind, label_of(line, axes, line.get_color()), x=x, y=y, z=z)
            continue
        x, y = line.get_xdata(orig=True), line.get_ydata(orig=True)
        in_data = line.get_transform().contains_branch_seperately(axes.transData)
        # A line across the whole plot is given by one coordinate; the other is a share of the axes.
        x = x if in_data[0] else axes.get_xlim()
        y = y if in_data[1] else axes.get_ylim()
        container = with_errors.get(id(line))
        label = label_of(line if container is None else container, axes, line.get_color())
        errors = {} if container is None else chart_errors.of(container, values.plain(line.get_xdata()), values.plain(line.get_ydata()))
        yield from values.series(kind, label, x=values.named(axes, "x", x), y=values.named(axes, "y", y), **errors)


def scatters(axes):
    for points in axes.collections:
        if type(points).__name__ not in ("PathCollection", "Path3DCollection") or not points.get_visible():
            continue
        if hasattr(points, "_offsets3d"):
            x, y, z = points._offsets3d
            yield from values.series("scatter", label_of(points, axes), x=x, y=y, z=z)
            continue
        offsets = points.get_offsets()
        x, y = values.named(axes, "x", offsets[:, 0]), values.named(axes, "y", offsets[:, 1])
        colours = points.get_facecolors()
        groups = values.groups(axes, colours, len(x)) if label_of(points, axes) is None else None
        if groups is None:
            colour = colours[0] if len(colours) else None
            yield from values.series("scatter", label_of(points, axes, colour), x=x, y=y, z=sized(points.get_array(), x))
            continue
        for label, members in groups.items():
            yield from values.series("scatter", label, x=[x[i] for i in members], y=[y[i] for i in members])


def sized(array, like):
    """The numbers behind the colours of points, when there is one for each."""
    return array if array is not None and len(array) == len(like) else ()


def bars(axes):
    intervals = chart_errors.BarIntervals(axes)
    for container in axes.containers:
        if type(container).__name__ != "BarContainer" or not len(container):
            continue
        lying = container.orientation == "horizontal"
        starts, sizes, amounts = [], [], []
        for bar in container:
            starts.append(bar.get_y() if lying else bar.get_x())
            sizes.append(bar.get_height() if lying else bar.get_width())
            amounts.append(bar.get_width() if lying else bar.get_height())
        label = label_of(container, axes, container[0].get_facecolor())
        name, other = ("y", "x") if lying else ("x", "y")
        if values.touching(starts, sizes) and values.scale(axes, name) in ("linear", "log"):
            yield from values.series("histogram", label, **{name: [*starts, starts[-1] + sizes[-1]], other: amounts})
        else:
            places = values.named(axes, name, [start + size / 2 for start, size in zip(starts, sizes)], nearest=True)
            errors = bar_errors(container, amounts, lying) or intervals.errors(container, amounts)
            yield from values.series("bar", label, **{name: places, other: values.named(axes, other, amounts)}, **errors)


def bar_errors(container, amounts, lying):
    if container.errorbar is None:
        return {}
    return chart_errors.of(container.errorbar, *((amounts, []) if lying else ([], amounts)))


def boxes(axes):
    for statistics, positions, label in noted(axes, "boxes"):
        vertical = values.scale(axes, "y") != "category"
        places = values.named(axes, "x" if vertical else "y", positions, nearest=True)
        yield without_none(
            type="box", label=label if isinstance(label, str) else None,
            labels=[str(one.get("label") or place) for one, place in zip(statistics, places)],
            boxes=[{"low": float(one["whislo"]), "q1": float(one["q1"]), "median": float(one["med"]), "q3": float(one["q3"]), "high": float(one["whishi"]),
                    "outliers": values.plain(one.get("fliers", ()))[:values.MOST_POINTS]} for one in statistics])


def pies(axes):
    wedges = [patch for patch in axes.patches if type(patch).__name__ == "Wedge"]
    if not wedges:
        return []
    given = [value for pie in noted(axes, "pies") for value in pie]
    shares = [round((wedge.theta2 - wedge.theta1) / 360, 6) for wedge in wedges]
    labels = [str(wedge.get_label()) for wedge in wedges]
    labels = ["" if label.startswith("_") else label for label in labels]
    if not any(labels) and axes.get_legend() is not None:
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
    return list(values.series("pie", None, labels=labels, y=given if len(given) == len(wedges) else shares))


def areas(axes):
    hidden = skipped(axes)
    for area in axes.collections:
        if id(area) in hidden or "PolyCollection" not in type(area).__name__ or not area.get_visible() or len(area.get_paths()) != 1:
            continue
        label = label_of(area, axes, *area.get_facecolor()[:1])
        corners = area.get_paths()[0].vertices
        count = (len(corners) - 3) // 2
        # There along one edge and back along the other.
        first, second = corners[1:count + 1], corners[count + 2:2 * count + 2][::-1]
        if label is not None and count > 1 and len(second) == count and (first[:, 0] == second[:, 0]).all():
            yield from values.series("area", label, x=values.named(axes, "x", first[:, 0]), y=abs(second[:, 1] - first[:, 1]))


def heatmaps(axes):
    for image in [*axes.images, *(mesh for mesh in axes.collections if type(mesh).__name__ == "QuadMesh")]:
        array = image.get_array()
        if hasattr(image, "get_coordinates") and array.ndim == 1:
            rows, columns = image.get_coordinates().shape[0] - 1, image.get_coordinates().shape[1] - 1
            array = array.reshape(rows, columns)
        if array.ndim != 2 or array.size > MOST_CELLS:
            yield {"type": "image" if array.ndim == 3 else "heatmap", "points": int(array.shape[0] * array.shape[1])}
            continue
        found = {"type": "heatmap", "z": [values.plain(row) for row in array]}
        for name, count in (("x", array.shape[1]), ("y", array.shape[0])):
            names = list(values.ticks(axes, name).values())
            if len(names) == count:
                found[name] = names
        yield found
