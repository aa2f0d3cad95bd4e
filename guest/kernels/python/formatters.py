"""Forms that user code registers for types, as IPython's formatters take them: sympy, for one, does so."""
import sys


class Formatter:
    def __init__(self):
        self.enabled = True
        self.type_printers = {}

    def for_type(self, kind, function=None):
        before = self.type_printers.get(kind)
        if function is not None:
            self.type_printers[kind] = function
        return before

    def for_type_by_name(self, module, name, function=None):
        loaded = getattr(sys.modules.get(module), name, None)
        return self.for_type(loaded, function) if loaded is not None else None

    def pop(self, kind, default=None):
        return self.type_printers.pop(kind, default)

    def form(self, value):
        printer = next((self.type_printers[kind] for kind in type(value).__mro__ if kind in self.type_printers), None)
        return printer(value) if printer is not None else None


class Formatters(dict):
    def __missing__(self, mime):
        return self.setdefault(mime, Formatter())


class DisplayFormatter:
    def __init__(self):
        self.formatters = Formatters()


def forms(formatters, value):
    """What is registered for the type of a value; one for text would need IPython's own printer, and the repr is there."""
    found = {}
    for mime, formatter in list(formatters.items()):
        if mime != "text/plain" and formatter.enabled:
            try:
                form = formatter.form(value)
            except Exception:
                continue
            if form is not None:
                found[mime] = form
    return found
