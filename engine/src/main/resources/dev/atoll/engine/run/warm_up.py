"""Has the pages of a restored Python kernel mapped before somebody waits for them.

After a restore gVisor maps memory page by page, as it is touched, and a first run touches thousands. Locking a range maps it whole; unlocking it again leaves
it mapped. Large ranges are the user's data, of which a first run seldom touches much: they are left alone, so that machines in a pool stay small.
"""
import sys

PAGE = 4096
# Below this much memory a first run has little to touch.
WORTH_IT = 48 << 20
LARGE = 16 << 20


def resident():
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * PAGE


def ranges():
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file.read().splitlines():
            where, permissions = line.split(" ", 2)[:2]
            begin, end = (int(part, 16) for part in where.split("-"))
            if permissions.startswith("r") and end - begin <= LARGE:
                yield begin, end - begin


def main(_, __):
    # Whoever has as much in memory has ctypes too; importing it here could run a file of the user's of that name.
    ctypes = sys.modules.get("ctypes")
    if ctypes is None or resident() < WORTH_IT:
        return
    library = ctypes.CDLL(None)
    for begin, length in ranges():
        if library.mlock(ctypes.c_void_p(begin), ctypes.c_size_t(length)) == 0:
            library.munlock(ctypes.c_void_p(begin), ctypes.c_size_t(length))
