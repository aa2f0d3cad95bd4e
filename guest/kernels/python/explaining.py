"""The rarer parts of notebook habits: help on names, captured output."""
import inspect
import io
import sys

from atoll_kernel import notebook


def explain(shell, name, detailed):
    """What a person wants to know of a name: signature, documentation, or the source itself."""
    if name.startswith("%"):
        kind = "cell_" if name.startswith("%%") else "line_"
        found = getattr(shell, kind + name.lstrip("%"), None)
        return f"{name}: {inspect.getdoc(found) or 'a magic'}" if found else f"there is no {name}"
    try:
        value = eval(name, shell.user_ns)
    except Exception:
        return f"Object `{name}` not found."
    lines = [f"Signature: {name}{signature(value)}"] if callable(value) and signature(value) else []
    lines.append(f"Type: {type(value).__name__}")
    if not callable(value) and not inspect.ismodule(value):
        lines.append(f"String form: {str(value)[:1000]}")
    if hasattr(value, "__len__") and not isinstance(value, type):
        lines.append(f"Length: {len(value)}")
    source = source_of(value) if detailed else None
    if source is not None:
        lines.append("Source:\n" + source.rstrip())
    else:
        lines.append("Docstring: " + (inspect.getdoc(value) or "<no docstring>"))
    return "\n".join(lines)


def signature(value):
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def source_of(value):
    try:
        return inspect.getsource(value)
    except (TypeError, OSError):
        return None


class Captured:
    """Keeps what a cell prints and shows."""

    def __enter__(self):
        self.outputs = []
        self.before = sys.stdout, sys.stderr, notebook.kernel.show, notebook.kernel.clear
        self.out, self.err = sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        notebook.kernel.show, notebook.kernel.clear = self.outputs.append, self.clear
        return self

    def __exit__(self, *reason):
        sys.stdout, sys.stderr, notebook.kernel.show, notebook.kernel.clear = self.before

    def clear(self, data):
        self.outputs.clear()
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()

    @property
    def stdout(self):
        return self.out.getvalue()

    @property
    def stderr(self):
        return self.err.getvalue()

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for data in self.outputs:
            notebook.kernel.show(data)

    __call__ = show
