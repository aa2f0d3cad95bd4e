"""Stands in for IPython where it is not installed: what notebook code imports from IPython and IPython.display."""
from atoll_kernel.notebook import Handle as DisplayHandle  # noqa: F401
from atoll_kernel.notebook import clear_output, display, get_ipython, update_display  # noqa: F401

VERSION = "9.0.0"
version_info = (9, 0, 0)


class DisplayObject:
    """Something to display, given as data or read from a file."""

    mime = "text/plain"
    binary = False

    def __init__(self, data=None, url=None, filename=None, metadata=None, **options):
        if data is None and filename is not None:
            with open(filename, "rb" if self.binary else "r") as file:
                data = file.read()
        if data is None and url is not None:
            import urllib.request
            with urllib.request.urlopen(url) as answer:
                data = answer.read() if self.binary else answer.read().decode()
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata or {}

    def __repr__(self):
        return f"<{type(self).__name__} object>"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: self.data}


class HTML(DisplayObject):
    mime = "text/html"


class Markdown(DisplayObject):
    mime = "text/markdown"


class Latex(DisplayObject):
    mime = "text/latex"


class Math(Latex):
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: "$\\displaystyle " + self.data.strip("$") + "$"}


class SVG(DisplayObject):
    mime = "image/svg+xml"

    def __init__(self, data=None, url=None, filename=None, **options):
        if data is not None and not data.lstrip().startswith("<"):
            data, filename = None, data
        super().__init__(data, url, filename, **options)


class JSON(DisplayObject):
    mime = "application/json"

    def _repr_mimebundle_(self, include=None, exclude=None):
        import json
        return {self.mime: json.loads(self.data) if isinstance(self.data, str) else self.data}


class Javascript(DisplayObject):
    mime = "application/javascript"


class Pretty(DisplayObject):
    def __repr__(self):
        return str(self.data)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {}


class Image(DisplayObject):
    binary = True
    MAGIC = ((b"\x89PNG", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))

    def __init__(self, data=None, url=None, filename=None, **options):
        if isinstance(data, str):
            url, filename, data = (data, None, None) if data.startswith(("http:", "https:")) else (None, data, None)
        super().__init__(data, url, filename, **options)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {next((mime for magic, mime in self.MAGIC if self.data.startswith(magic)), "image/png"): self.data}


class Code(DisplayObject):
    def __init__(self, data=None, url=None, filename=None, language="", **options):
        super().__init__(data, url, filename, **options)
        self.language = language or ""

    def __repr__(self):
        return str(self.data)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/markdown": f"```{self.language}\n{self.data}\n```"}


class IFrame:
    def __init__(self, src, width, height, **options):
        self.src, self.width, self.height = src, width, height

    def _repr_html_(self):
        import html
        return f'<iframe width="{self.width}" height="{self.height}" src="{html.escape(str(self.src))}"></iframe>'


def display_html(*values, raw=False, **options):
    display(*(HTML(value) if raw else value for value in values), **options)


def display_markdown(*values, raw=False, **options):
    display(*(Markdown(value) if raw else value for value in values), **options)
