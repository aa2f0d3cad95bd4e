"""Figures of matplotlib: shown when show() is called and when a cell ends, as PNG and with the data behind them."""
import io
import sys

from atoll_kernel import chart_notes, charts
from atoll_kernel.libraries import CHART
from atoll_kernel.notebook import display


def prepare(pyplot):
    import matplotlib
    # Not chosen yet: a search for a window system, of which there is none, takes its time.
    if not isinstance(dict.__getitem__(matplotlib.rcParams, "backend"), str):
        matplotlib.use("agg")
    pyplot.show = show
    pyplot.Figure.show = lambda self, *arguments, **options: display(self)
    axes3d = sys.modules.get("mpl_toolkits.mplot3d.axes3d")
    chart_notes.watch(matplotlib.axes.Axes, getattr(axes3d, "Axes3D", None))


def open_figures():
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    return [] if helpers is None else [manager.canvas.figure for manager in helpers.Gcf.get_all_fig_managers()]


def show(*arguments, **options):
    """Shows all figures that are open, and closes them."""
    show_open(None)


def show_open(value):
    """Shows what has not been shown as it is now; the cell's value will be shown as such. Nothing stays open for the next cell."""
    figures = open_figures()
    if not figures:
        return
    try:
        for figure in figures:
            if figure is not value and (figure.stale or not getattr(figure, "_atoll_shown", False)):
                display(figure)
    finally:
        close_open()


def close_open():
    if open_figures():
        sys.modules["matplotlib.pyplot"].close("all")


def forms(figure):
    image = io.BytesIO()
    figure.canvas.print_figure(image, format="png", dpi=figure.dpi, bbox_inches="tight", facecolor=figure.get_facecolor(), edgecolor=figure.get_edgecolor())
    figure._atoll_shown, figure.stale = True, False
    found = {"image/png": image.getvalue()}
    data = charts.chart(figure)
    if data is not None:
        found[CHART] = data
    return found
