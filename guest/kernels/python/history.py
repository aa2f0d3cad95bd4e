"""What a session has run and given: In, Out, and the names that people are used to for the last ones."""
import sys

MOST_VALUES = 100
# Larger values would fill a small sandbox: only the last three stay, which `_`, `__` and `___` hold anyway.
LARGE = 16 << 20
LAST = 3


class History:
    def __init__(self, namespace):
        self.namespace = namespace
        self.number = 0
        self.begin_anew()

    def begin_anew(self):
        """Also after %reset; cells keep their numbers."""
        self.sources = [""] * (self.number + 1)
        self.values = {}
        self.large = set()
        self.namespace.update(In=self.sources, Out=self.values, _ih=self.sources, _oh=self.values)

    def begin(self, number, source):
        """A cell begins; this is its code."""
        self.sources.extend([""] * (number - len(self.sources)))
        self.number = number
        names = self.namespace
        names["_iii"], names["_ii"], names["_i"] = names.get("_ii", ""), names.get("_i", ""), self.sources[-1]
        self.sources.append(source)

    def remember(self, value):
        names = self.namespace
        if "_" in names:
            if "__" in names:
                names["___"] = names["__"]
            names["__"] = names["_"]
        names["_"] = value
        self.values[self.number] = value
        if weight(value) > LARGE:
            self.large.add(self.number)
        self.forget_old()

    def forget_old(self):
        for number in list(self.values)[:-MOST_VALUES]:
            self.values.pop(number, None)
        for number in self.large.difference(list(self.values)[-LAST:]):
            self.values.pop(number, None)
            self.large.discard(number)


def weight(value):
    """About how many bytes a value takes, as far as that is quickly told."""
    kind = type(value)
    try:
        if hasattr(kind, "nbytes"):
            return int(value.nbytes)
        if kind.__module__.startswith("pandas."):
            return int(value.memory_usage(deep=False).sum())
        return sys.getsizeof(value) if kind in (str, bytes, bytearray, list, tuple, dict, set) else 0
    except Exception:
        return 0
