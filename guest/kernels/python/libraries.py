"""Libraries whose objects can show themselves in better ways than their own methods offer, and what each needs for it."""
import io

from atoll_kernel.bundles import call
from atoll_kernel.notebook import display, get_ipython
from atoll_kernel.process import NoStdin

CHART = "application/vnd.atoll.chart+json"
MOST_HTML = 4 << 20


# Called after the import of a library.

def prepare_asyncio(module):
    import threading
    from atoll_kernel import notebook
    from atoll_kernel.event_loop import LOOP
    # Imported in the middle of a cell: the rest of it finds the loop.
    kernel = notebook.kernel
    if kernel.executing and not kernel.forked and not kernel.plain and threading.current_thread() is threading.main_thread():
        LOOP.lend()


def prepare_getpass(module):
    def getpass(prompt="Password: ", stream=None, **options):
        password = NoStdin.questions.ask(str(prompt), True)
        if password is None:
            raise EOFError("EOF when reading a line")
        return password

    module.getpass = module.unix_getpass = getpass


def prepare_progress(module):
    from atoll_kernel import notebook, progress
    if not notebook.kernel.plain:
        progress.install(module)


def prepare_rich_live(module):
    from atoll_kernel import rich_live
    rich_live.install(module)


def prepare_pyplot(pyplot):
    from atoll_kernel import figures
    figures.prepare(pyplot)


def prepare_plotly(module):
    module.BaseFigure.show = lambda self, *arguments, **options: display(self)


def prepare_image_show(module):
    class Notebook(module.Viewer):
        def show(self, image, **options):
            display(image)
            return 1

    module.register(Notebook(), 0)


def prepare_display_functions(module):
    from atoll_kernel import notebook
    for name in ("display", "update_display", "clear_output"):
        setattr(module, name, getattr(notebook, name))
    module.DisplayHandle = notebook.Handle


def prepare_getipython(module):
    module.get_ipython = get_ipython


# The forms of an object beyond its repr.

def figure_forms(figure):
    from atoll_kernel import figures
    return figures.forms(figure)


def image_forms(image):
    jpeg = getattr(image, "format", None) == "JPEG"
    buffer = io.BytesIO()
    try:
        image.save(buffer, "JPEG" if jpeg else "PNG")
    except Exception:
        buffer = io.BytesIO()
        jpeg = False
        image.convert("RGBA").save(buffer, "PNG")
    return {"image/jpeg" if jpeg else "image/png": buffer.getvalue()}


def plotly_forms(figure):
    import json
    from atoll_kernel import plotly_charts
    forms = {}
    data = json.loads(figure.to_json())
    forms["application/vnd.plotly.v1+json"] = data
    html = call(lambda: figure.to_html(include_plotlyjs="cdn", full_html=False))
    if html is not None and len(html) <= MOST_HTML:
        forms["text/html"] = html
    chart = call(lambda: plotly_charts.chart(data))
    if chart:
        forms[CHART] = chart
    return forms


def altair_forms(chart):
    data = chart.to_dict()
    version = str(data.get("$schema", "")).rpartition("/v")[2].partition(".")[0] or "5"
    forms = {f"application/vnd.vegalite.v{version}+json": data}
    html = call(lambda: chart.to_html(fullhtml=False)) if hasattr(chart, "to_html") else None
    if html is not None and len(html) <= MOST_HTML:
        forms["text/html"] = html
    return forms
