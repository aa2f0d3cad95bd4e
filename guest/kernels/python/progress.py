"""The bars of tqdm.auto and tqdm.notebook: HTML that is replaced as they go on, with no need for widgets."""
import html
import sys

from atoll_kernel import notebook

# In seconds; each state of a bar is a message, so they come less often than in a terminal.
MININTERVAL = 0.5
STYLE = "font-family: monospace; white-space: pre"


def install(module):
    bar = bar_class(module)

    def span(*arguments, **options):
        return bar(range(*arguments), **options)

    for name, value in (("tqdm", bar), ("trange", span), ("tqdm_notebook", bar), ("tnrange", span)):
        if hasattr(module, name):
            setattr(module, name, value)


def bar_class(module):
    std = sys.modules["tqdm.std"]

    class tqdm_notebook(std.tqdm):
        """A bar that is shown as HTML; one that was given a file of its own writes text there, as always."""

        def __init__(self, *arguments, **options):
            self.shown = None
            self.as_html = options.get("file") in (None, sys.stdout, sys.stderr) and not options.get("gui")
            if self.as_html:
                options["gui"] = True
                options.setdefault("mininterval", MININTERVAL)
            options.pop("display", None)
            super().__init__(*arguments, **options)
            if self.as_html and not self.disable and self.delay <= 0:
                self.refresh()

        def display(self, msg=None, pos=None, **others):
            if not self.as_html:
                return super().display(msg, pos)
            if msg is None:
                msg = str(self)
            forms = {"text/plain": msg, "text/html": markup(msg, self.n, self.total)} if msg else {"text/plain": "", "text/html": ""}
            if self.shown is None:
                self.shown = notebook.display(forms, raw=True, display_id=True)
            else:
                self.shown.update(forms, raw=True)
            return True

        def close(self):
            if not self.as_html:
                super().close()
            elif not self.disable:
                super().close()
                self.display(None if self.leave or self.leave is None and self.pos == 0 else "")

        def clear(self, *arguments, **options):
            if not self.as_html:
                super().clear(*arguments, **options)

    tqdm_notebook.__module__ = module.__name__
    return tqdm_notebook


def markup(text, count, total):
    before, bar, after = text.partition("|")
    after = after.rpartition("|")[2] if bar else ""
    value = f'value="{count}" max="{total}"' if total else ""
    inner = f"{html.escape(before)}<progress {value}></progress>{html.escape(after)}" if bar else f"<progress {value}></progress> {html.escape(text)}"
    return f'<div style="{STYLE}">{inner}</div>'
