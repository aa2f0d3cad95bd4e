"""Looks at the variables of a Python kernel from inside, for a comparison with a relative of it.

Runs in a namespace of its own, and imports nothing that a file of the user could stand in for. Every value gets a fingerprint that
is equal for equal values of two forks: first a quick one at the speed of pickling, which may differ by the order of sets and
dictionaries; then, for the few names where it differs, an exact one that does not, with a short text.
"""
import copyreg
import sys
import time
import types
from _blake2 import blake2b
from _json import encode_basestring_ascii as quote
from _pickle import PickleBuffer, Pickler

MIME = "application/vnd.atoll.variables+json"
MOST_NAMES = 10000
MOST_BYTES = 8 << 30
MOST_NODES = 2000000
VALUE_SECONDS = 5.0
ALL_SECONDS = 20.0
MOST_TEXT = 200
SHOWN = 10
UNKNOWN = "?"
MARK = str
MADE_BY_PYTHON = frozenset(("__dict__", "__weakref__", "__module__", "__firstlineno__", "__static_attributes__", "__annotate_func__",
                            "__annotations_cache__"))
ATOMS = frozenset((float, complex, bool, type(None), type(Ellipsis), range))


class Enough(Exception):
    """More bytes, values or time than a fingerprint is worth."""


class Clock:
    def __init__(self):
        self.end = time.monotonic() + ALL_SECONDS
        self.value_end = self.end

    def begin(self):
        self.value_end = min(self.end, time.monotonic() + VALUE_SECONDS)

    def check(self):
        if time.monotonic() > self.value_end:
            raise Enough


def note(*parts):
    return MARK, parts


def parts(value):
    """What an object is made of, in the form of __reduce__; never fails for an object that cannot be pickled."""
    kind = type(value)
    if value is MARK:
        return NotImplemented
    if issubclass(kind, type):
        return note("class", value.__module__, value.__qualname__)
    if kind in DESCRIBED:
        return note(kind.__name__, DESCRIBED[kind](value))
    if kind is memoryview or kind.__module__ == "array" and kind.__name__ == "array":
        view = memoryview(value)
        return note(kind.__name__, view.format, view.shape, PickleBuffer(value) if view.contiguous else view.tobytes())
    try:
        reduce = copyreg.dispatch_table.get(kind)
        found = value.__reduce_ex__(5) if reduce is None else reduce(value)
    except Enough:
        raise
    except Exception:
        return note("opaque", kind.__module__, kind.__qualname__, without_addresses(text(value)))
    if type(found) is str:
        return note("global", str(getattr(value, "__module__", "")), found)
    if type(found) is not tuple or not 2 <= len(found) <= 6:
        return note("opaque", kind.__module__, kind.__qualname__)
    return found


def function(value):
    if value.__module__ != "__main__":
        return value.__module__, value.__qualname__
    return value.__qualname__, code(value.__code__), value.__defaults__, value.__kwdefaults__, [content(cell) for cell in value.__closure__ or ()]


def content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None


def code(value):
    """What a code object does, wherever it was written."""
    constants = [code(item) if type(item) is types.CodeType else item for item in value.co_consts]
    return (value.co_name, value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars, value.co_argcount,
            value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags, constants)


def described_class(value):
    """A class of the user by what it holds; only where it is a variable itself."""
    if value.__module__ != "__main__":
        return note("class", value.__module__, value.__qualname__)
    held = {name: item for name, item in vars(value).items() if name not in MADE_BY_PYTHON}
    return note("class", value.__qualname__, [base.__qualname__ for base in value.__bases__], held)


DESCRIBED = {
    types.FunctionType: function,
    types.CodeType: code,
    types.ModuleType: lambda value: value.__name__,
    types.MethodType: lambda value: (value.__func__, value.__self__),
    property: lambda value: (value.fget, value.fset, value.fdel),
    staticmethod: lambda value: value.__func__,
    classmethod: lambda value: value.__func__,
}


class Sink:
    """Takes what a pickler writes, and keeps its hash only."""

    def __init__(self, clock):
        self.clock = clock
        self.hash = blake2b(digest_size=16)
        self.left = MOST_BYTES

    def write(self, data):
        size = memoryview(data).nbytes
        self.left -= size
        if self.left < 0:
            raise Enough
        self.clock.check()
        self.hash.update(data)
        return size

    def buffer(self, buffer):
        self.write(buffer.raw())


class Quick(Pickler):
    def __init__(self, sink):
        super().__init__(sink, 5, buffer_callback=sink.buffer)
        # Without a memo: which equal objects are one object does not matter.
        self.fast = True

    def reducer_override(self, value):
        return parts(value)


def quick(value, clock):
    sink = Sink(clock)
    try:
        Quick(sink).dump(described_class(value) if isinstance(value, type) else value)
    except Exception:
        return UNKNOWN
    return sink.hash.hexdigest()


class Exact:
    """A fingerprint for which neither the order of sets and dictionaries nor identity matters, and cycles are no trouble."""

    def __init__(self, clock):
        self.clock = clock
        self.left = MOST_NODES
        self.above = {}

    def digest(self, name, pieces):
        hash = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16)
        for piece in pieces:
            size = memoryview(piece).nbytes
            hash.update(b"%d:" % size)
            hash.update(piece)
        return hash.digest()

    def of(self, value):
        self.left -= 1
        if self.left < 0:
            raise Enough
        if not self.left & 1023:
            self.clock.check()
        kind = type(value)
        if kind is str:
            return self.digest("str", (value.encode("utf-8", "surrogatepass"),))
        if kind is int:
            return self.digest("int", (b"%x" % value,))
        if kind in ATOMS:
            return self.digest(kind.__name__, (repr(value).encode(),))
        if kind is bytes or kind is bytearray:
            return self.digest(kind.__name__, (value,))
        if kind is PickleBuffer:
            return self.digest("buffer", (value.raw(),))
        if value is MARK:
            return b"mark"
        if id(value) in self.above:
            return self.digest("above", (b"%d" % self.above[id(value)],))
        self.above[id(value)] = len(self.above)
        try:
            return self.compound(kind, value)
        finally:
            del self.above[id(value)]

    def compound(self, kind, value):
        if kind is list or kind is tuple:
            return self.digest(kind.__name__, [self.of(item) for item in value])
        if kind is set or kind is frozenset:
            return self.digest(kind.__name__, sorted([self.of(item) for item in value]))
        if kind is dict:
            return self.digest("dict", self.pairs(value.items()))
        found = parts(value)
        pieces = [self.of(item) for item in found[:3]]
        if len(found) > 3 and found[3] is not None:
            pieces.append(self.digest("items", [self.of(item) for item in found[3]]))
        if len(found) > 4 and found[4] is not None:
            pieces.append(self.digest("pairs", self.pairs(found[4])))
        return self.digest("object", pieces)

    def pairs(self, items):
        return sorted([self.of(key) + self.of(value) for key, value in items])


def exact(value, clock):
    try:
        return Exact(clock).of(described_class(value) if isinstance(value, type) else value).hex()
    except Exception:
        return type(value).__qualname__ + " " + without_addresses(text(value))


def without_addresses(shown):
    pieces = shown.split(" at 0x")
    return " at ".join(pieces[:1] + [piece.lstrip("0123456789abcdefABCDEF") for piece in pieces[1:]])


def text(value, depth=0):
    """A short text for a value of any size."""
    try:
        shown = shown_as(value, type(value), depth)
    except Exception:
        shown = "<" + type(value).__qualname__ + ">"
    return shown if len(shown) <= MOST_TEXT else shown[:MOST_TEXT - 1] + "\u2026"


def shown_as(value, kind, depth):
    if kind is str or kind is bytes or kind is bytearray:
        return repr(value) if len(value) <= MOST_TEXT else "(" + str(len(value)) + ") " + repr(value[:MOST_TEXT])
    if kind is int and value.bit_length() > 4096:
        return "<int of " + str(value.bit_length()) + " bits>"
    if kind is types.FunctionType:
        names = value.__code__.co_varnames[:value.__code__.co_argcount + value.__code__.co_kwonlyargcount]
        return "<function " + value.__qualname__ + "(" + ", ".join(names) + ")>"
    if kind is types.ModuleType:
        return "<module " + repr(value.__name__) + ">"
    if kind in BRACKETS:
        return container(value, kind, depth)
    return " ".join(repr(value).split())


BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}


def container(value, kind, depth):
    left, right = BRACKETS[kind]
    if depth == 3:
        return left + "\u2026" + right
    items = []
    for item in value.items() if kind is dict else value:
        if len(items) == SHOWN:
            break
        items.append(text(item[0], depth + 1) + ": " + text(item[1], depth + 1) if kind is dict else text(item, depth + 1))
    if len(value) > SHOWN:
        return "(" + str(len(value)) + ") " + left + ", ".join(items) + ", \u2026" + right
    return left + ", ".join(items) + ("," if kind is tuple and len(value) == 1 else "") + right


# What the kernel itself keeps of cells and their values.
HISTORY = ("_", "In", "Out", "_i", "_ii", "_iii", "_ih", "_oh")


def is_variable(name):
    return type(name) is str and name not in HISTORY and not name.startswith("__") and len(name) <= MOST_TEXT


class Answer:
    def __init__(self, json):
        self.json = json

    def __repr__(self):
        return "variables"

    def _repr_mimebundle_(self):
        return {MIME: self.json}


def kernel_of(frame):
    while frame is not None:
        found = frame.f_locals.get("self")
        if found is not None and hasattr(found, "cells") and (hasattr(found, "show") or hasattr(found, "display")):
            return found
        frame = frame.f_back
    raise LookupError("the kernel was not found")


def tell(kernel, json):
    show = getattr(kernel, "show", None)
    if show is None:
        # A kernel of an older snapshot.
        kernel.display(Answer(json))
    else:
        show(("{" + quote("text/plain") + ": " + quote("variables") + ", " + quote(MIME) + ": " + quote(json) + "}").encode())


def leave_no_trace(kernel, frame):
    """The next cell of the user is numbered as if this one had not been."""
    kernel.cells -= 1
    lines = sys.modules.get("linecache")
    if lines is not None:
        lines.cache.pop(frame.f_code.co_filename, None)


def main(frame, names):
    kernel = kernel_of(frame)
    leave_no_trace(kernel, frame)
    space = frame.f_globals
    clock = Clock()
    pieces = []
    if names is None:
        for name in [name for name in list(space) if is_variable(name)][:MOST_NAMES]:
            clock.begin()
            pieces.append(quote(name) + ": " + quote(quick(space[name], clock)))
    else:
        for name in names:
            if name in space:
                clock.begin()
                pieces.append(quote(name) + ": [" + quote(exact(space[name], clock)) + ", " + quote(text(space[name])) + "]")
    tell(kernel, "{" + ", ".join(pieces) + "}")
