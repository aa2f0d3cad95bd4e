"""Values as MIME bundles: the same thing as text, as HTML, as an image, as data."""
import sys

try:
    from _json import encode_basestring_ascii as quote
except ImportError:
    from json.encoder import py_encode_basestring_ascii as quote

MOST_TEXT = 1 << 20
MOST_BUNDLE = 10 << 20
PLAIN = frozenset((int, float, str, bytes, bool, complex, list, tuple, dict, set, frozenset, range, type))
METHODS = (
    ("_repr_html_", "text/html"), ("_repr_markdown_", "text/markdown"), ("_repr_svg_", "image/svg+xml"), ("_repr_latex_", "text/latex"),
    ("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"), ("_repr_pdf_", "application/pdf"), ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"),
)
# Libraries whose objects need more than their own methods give: module of the class, class, function of atoll_kernel.libraries.
SPECIAL = (
    ("matplotlib.figure", "Figure", "figure_forms"),
    ("plotly.basedatatypes", "BaseFigure", "plotly_forms"),
    ("altair.vegalite.v6.api", "TopLevelMixin", "altair_forms"),
    ("altair.vegalite.v5.api", "TopLevelMixin", "altair_forms"),
    ("PIL.Image", "Image", "image_forms"),
)


def bundle(value):
    """The JSON of a value's bundle; only a failing repr is an error."""
    text = repr(value)
    if type(value) in PLAIN:
        return encode({"text/plain": text})
    forms = {"text/plain": text}
    forms.update(rich(value))
    return encode(forms)


def rich(value):
    """What there is beyond the repr."""
    if isinstance(value, type):
        return {}
    special = special_forms(value)
    if special is not None:
        return special
    forms = {}
    for method, mime in METHODS:
        if hasattr(type(value), method):
            add(forms, mime, offered(value, method))
    if hasattr(type(value), "_repr_mimebundle_"):
        given = unpacked(offered(value, "_repr_mimebundle_", include=None, exclude=None))
        if isinstance(given, dict):
            for mime, data in given.items():
                add(forms, mime, data)
    magics = sys.modules.get("atoll_kernel.magics")
    if magics is not None:
        forms.update(magics.SHELL.forms(value))
    return forms


def special_forms(value):
    for module, kind, function in SPECIAL:
        loaded = sys.modules.get(module)
        if loaded is not None and isinstance(value, getattr(loaded, kind, ())):
            from atoll_kernel import libraries
            return getattr(libraries, function)(value)
    return None


def offered(value, name, **arguments):
    """What a method of the user's object returns. A failing one offers nothing, and its author is told; the value is shown all the same."""
    try:
        return taken(getattr(value, name), arguments)
    except NotImplementedError:
        return None
    except Exception as problem:
        import traceback
        said = "".join(traceback.format_exception_only(problem)).strip()
        print(f"{name} of {type(value).__name__} failed: {said}", file=sys.stderr)
        return None


def taken(method, arguments):
    """Not every author lets his method choose among forms."""
    try:
        return method(**arguments)
    except TypeError:
        if not arguments:
            raise
        return method()


def call(function):
    """What a function of ours makes of the user's data; nothing if it cannot."""
    try:
        return function()
    except Exception:
        return None


def unpacked(given):
    """Methods may return their data alone or with metadata, which nobody here needs."""
    return given[0] if isinstance(given, tuple) and given else given


def add(forms, mime, data):
    data = unpacked(data)
    if isinstance(mime, str) and data is not None:
        forms[mime] = data


def encode(forms):
    """Writes a bundle; forms that make it too large are left out, and its text says so."""
    text = forms.get("text/plain", "")
    text = text if isinstance(text, str) else repr(text)
    if len(text) > MOST_TEXT:
        text = text[:MOST_TEXT] + f"… ({len(text)} characters)"
    parts = {}
    for mime, data in forms.items():
        if mime != "text/plain":
            written = to_json(data)
            if written is not None:
                parts[mime] = written
    while sum(map(len, parts.values())) > MOST_BUNDLE:
        largest = max(parts, key=lambda mime: len(parts[mime]))
        size = len(parts.pop(largest))
        text += f"\n[{largest} left out: {size / 1e6:.1f} MB is more than the {MOST_BUNDLE / 1e6:.1f} MB that a result may have; write it to a file instead]"
    members = [quote("text/plain") + ": " + quote(text)]
    members.extend([quote(mime) + ": " + data for mime, data in parts.items()])
    return ("{" + ", ".join(members) + "}").encode()


def to_json(data):
    """Text as it is, bytes as base64, and the rest as JSON; None for what has no such form."""
    if isinstance(data, str):
        return quote(data)
    if isinstance(data, (bytes, bytearray, memoryview)):
        import binascii
        return '"' + binascii.b2a_base64(data, newline=False).decode() + '"'
    import json
    try:
        return json.dumps(data, allow_nan=False, default=as_list)
    except ValueError:
        return call(lambda: json.dumps(finite(data), allow_nan=False, default=as_list))
    except Exception:
        return None


def as_list(data):
    """Numbers and arrays of numpy, and whatever else can be turned into what JSON knows."""
    return finite(data.tolist())


def finite(data):
    """JSON has no infinite numbers and none that are not numbers."""
    if isinstance(data, float):
        return data if data - data == 0 else None
    if isinstance(data, dict):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [finite(value) for value in data]
    return data
