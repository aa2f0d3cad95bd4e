"""What cannot be read off a finished figure of matplotlib is noted while it is drawn: the numbers behind boxes, violins, contours, streams and surfaces."""
import functools

from atoll_kernel import chart_values as values


def watch(axes, axes3d=None):
    if getattr(axes.bxp, "_atoll", False):
        return
    for name, note in (("bxp", note_boxes), ("pie", note_pie), ("violinplot", note_violins), ("contour", note_contour), ("contourf", note_contour),
                       ("streamplot", note_streams), ("hexbin", note_hexagons), ("hist", note_steps)):
        setattr(axes, name, noting(getattr(axes, name), note))
    if axes3d is not None:
        axes3d.plot_surface = noting(axes3d.plot_surface, note_surface)
        axes3d.plot_wireframe = noting(axes3d.plot_wireframe, note_surface)


def noting(method, note):
    @functools.wraps(method)
    def call(self, *arguments, **options):
        made = method(self, *arguments, **options)
        try:
            note(self, made, *arguments, **options)
        except Exception:
            pass  # The drawing is what was asked for; its data can be missing.
        return made

    call._atoll = True
    return call


def noted(axes, kind):
    return axes.__dict__.get("_atoll_" + kind, ())


def keep(axes, kind, value):
    axes.__dict__.setdefault("_atoll_" + kind, []).append(value)


def skip(axes, artists):
    """These are parts of something that is told as a whole."""
    axes.__dict__.setdefault("_atoll_skipped", []).extend(artists)


def skipped(axes):
    return {id(artist) for artist in noted(axes, "skipped")}


def note_boxes(axes, made, bxpstats, positions=None, **options):
    statistics = list(bxpstats)
    positions = range(1, len(statistics) + 1) if positions is None else positions
    keep(axes, "boxes", (statistics, list(positions), options.get("label")))
    skip(axes, [artist for artists in made.values() for artist in artists])


def note_pie(axes, made, x, *arguments, **options):
    keep(axes, "pies", values.plain(x))


def note_violins(axes, made, dataset, positions=None, vert=None, *arguments, orientation=None, **options):
    from matplotlib import cbook
    groups = [values.numbers(group) for group in cbook._reshape_2D(dataset, "X")]
    lying = orientation == "horizontal" or vert is False
    keep(axes, "violins", (groups, list(positions) if positions is not None else list(range(1, len(groups) + 1)), lying))
    for artists in made.values():
        skip(axes, artists if isinstance(artists, list) else [artists])


def note_contour(axes, made, *arguments, **options):
    grid = tuple(arguments[:3]) if len(arguments) >= 3 else (None, None, arguments[0])
    before = noted(axes, "contours")
    # Lines over filled areas are the same thing once more.
    if not before or before[-1][0][2] is not grid[2]:
        keep(axes, "contours", (grid, made.levels))


def note_streams(axes, made, x, y, u, v, *arguments, **options):
    keep(axes, "streams", (x, y, u, v))
    skip(axes, [made.lines])


def note_hexagons(axes, made, *arguments, **options):
    keep(axes, "hexagons", made)
    skip(axes, [made])


def note_steps(axes, made, *arguments, **options):
    """Bars are seen in the figure; an outline around all of them is not."""
    if not str(options.get("histtype", "")).startswith("step"):
        return
    counts, edges, patches = made
    several = getattr(counts, "ndim", 2) == 2 or isinstance(counts, list)
    for one, outline in zip(counts if several else [counts], patches if several else [patches]):
        keep(axes, "steps", (one, edges, outline[0], options.get("orientation") == "horizontal"))


def note_surface(axes, made, x, y, z, *arguments, **options):
    keep(axes, "surfaces", ((x, y, z), made))
