"""What a notebook has that plain Python has not: display(), get_ipython(), and libraries that show their results here.

Nothing is imported for a library before user code imports it itself: a finder on sys.meta_path waits for that.
"""
import builtins
import os
import sys

from atoll_kernel.bundles import bundle, encode, special_forms

# Module of a library → function of atoll_kernel.libraries that prepares it once it is imported.
HOOKS = {
    "asyncio": "prepare_asyncio",
    "getpass": "prepare_getpass",
    "tqdm.autonotebook": "prepare_progress",
    "tqdm.notebook": "prepare_progress",
    "rich.live": "prepare_rich_live",
    "pip._vendor.rich.live": "prepare_rich_live",
    "matplotlib.pyplot": "prepare_pyplot",
    "plotly.basedatatypes": "prepare_plotly",
    "PIL.ImageShow": "prepare_image_show",
    "IPython.core.display_functions": "prepare_display_functions",
    "IPython.core.getipython": "prepare_getipython",
}
# The form of a bundle that tells what is to be done with it: the agent passes it on, and the host reads it.
MARK = "application/vnd.atoll.display+json"
STAND_INS = frozenset(("IPython", "IPython.display", "IPython.core", "IPython.core.display"))

kernel = None


def install(serving):
    global kernel
    kernel = serving
    builtins.display = display
    builtins.get_ipython = get_ipython
    sys.meta_path.insert(0, Arrivals())
    sys.meta_path.append(StandIns())


def get_ipython():
    """The object that notebooks know as their shell."""
    from atoll_kernel import habits
    return habits.shell()


def display(*values, include=None, exclude=None, metadata=None, transient=None, display_id=None, update=False, raw=False, clear=False, **others):
    """Shows values on the way, apart from plain output; with `update` in the place of those that were shown with the same id."""
    if update and display_id is None:
        raise TypeError("an update needs the display_id of what it replaces")
    if clear:
        clear_output(wait=True)
    handle = Handle(display_id) if display_id is not None else None
    mark = None if handle is None else {"id": handle.display_id, "update": True} if update else {"id": handle.display_id}
    for value in values:
        show(value, raw, include, exclude, mark)
    return None if update else handle


def update_display(value, *, display_id, **options):
    """Puts a value in the place of what was shown with an id."""
    display(value, display_id=display_id, **{**options, "update": True})


def clear_output(wait=False):
    """Takes back what this cell has printed and shown; with `wait` when the next output comes."""
    kernel.clear(marked(encode({}), {"clear": "next" if wait else "now"}))


class Handle:
    """What display() returns when it was given an id: by it the same thing can be shown anew, in its place."""

    def __init__(self, display_id=None):
        self.display_id = os.urandom(8).hex() if display_id in (None, True) else str(display_id)

    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"

    def display(self, value, **options):
        display(value, **{**options, "display_id": self.display_id})

    def update(self, value, **options):
        update_display(value, **{**options, "display_id": self.display_id})


def marked(data, mark):
    """The JSON of a bundle, with what is to be done with it."""
    from json import dumps
    return data if mark is None else data[:-1] + b", " + dumps(MARK).encode() + b": " + dumps(mark).encode() + b"}"


def show(value, raw=False, include=None, exclude=None, mark=None):
    if raw and isinstance(value, dict):
        kernel.show(marked(encode(dict(value)), mark))
    elif include or exclude:
        from atoll_kernel.bundles import rich
        forms = {mime: data for mime, data in rich(value).items() if (not include or mime in include) and mime not in (exclude or ())}
        kernel.show(marked(encode({"text/plain": repr(value), **forms}), mark))
    elif not shows_itself(value):
        kernel.show(marked(bundle(value), mark))


def shows_itself(value):
    """Lets an object that brings its own way of being displayed go that way; whether it did."""
    if not hasattr(type(value), "_ipython_display_") or special_forms(value) is not None:
        return False
    try:
        value._ipython_display_()
    except NotImplementedError:
        return False
    return True


class Arrivals:
    """Prepares libraries when user code has imported them."""

    def __init__(self):
        self.looking = set()

    def find_spec(self, name, path=None, target=None):
        if name not in HOOKS or name in self.looking:
            return None
        self.looking.add(name)
        try:
            for finder in sys.meta_path:
                spec = finder.find_spec(name, path, target) if finder is not self else None
                if spec is not None:
                    prepared(spec.loader, HOOKS[name])
                    return spec
        finally:
            self.looking.discard(name)
        return None


def prepared(loader, hook):
    """Makes a loader call a hook after it has run its module."""
    run = loader.exec_module

    def exec_module(module):
        run(module)
        try:
            from atoll_kernel import libraries
            getattr(libraries, hook)(module)
        except Exception:
            pass  # A version of the library that is made otherwise: it works, though not as a notebook would have it.

    loader.exec_module = exec_module


class StandIns:
    """Offers the parts of IPython that notebook code imports, where there is no IPython."""

    def find_spec(self, name, path=None, target=None):
        if name not in STAND_INS:
            return None
        from importlib.machinery import ModuleSpec
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        from atoll_kernel import ipython
        module.__dict__.update({name: value for name, value in vars(ipython).items() if not name.startswith("_")}, __version__=ipython.VERSION)
