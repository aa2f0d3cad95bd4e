"""What a notebook has that plain Python has not: display(), get_ipython(), and libraries that show their results here.

Nothing is imported for a library before user code imports it itself: a finder on sys.meta_path waits for that.
"""
import builtins
import sys

from atoll_kernel.bundles import bundle, encode, special_forms

# Module of a library → function of atoll_kernel.libraries that prepares it once it is imported.
HOOKS = {
    "matplotlib.pyplot": "prepare_pyplot",
    "plotly.basedatatypes": "prepare_plotly",
    "PIL.ImageShow": "prepare_image_show",
    "IPython.core.display_functions": "prepare_display_functions",
    "IPython.core.getipython": "prepare_getipython",
}
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


def display(*values, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, clear=False, **others):
    """Shows values on the way, apart from plain output."""
    for value in values:
        show(value, raw, include, exclude)
    return Handle() if display_id is not None else None


class Handle:
    """What display() returns when it was given an id. What has been shown stays: an update is shown after it."""

    def display(self, value, **options):
        display(value, **options)

    update = display


def show(value, raw=False, include=None, exclude=None):
    if raw and isinstance(value, dict):
        kernel.show(encode(dict(value)))
    elif include or exclude:
        from atoll_kernel.bundles import rich
        forms = {mime: data for mime, data in rich(value).items() if (not include or mime in include) and mime not in (exclude or ())}
        kernel.show(encode({"text/plain": repr(value), **forms}))
    elif not shows_itself(value):
        kernel.show(bundle(value))


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
