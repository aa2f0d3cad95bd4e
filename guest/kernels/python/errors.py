"""The JSON of an error, with a traceback that shows the user's lines only."""
import errno
import linecache
import os
import traceback

from atoll_kernel.bundles import MOST_TEXT, quote

HERE = os.path.dirname(__file__) + os.sep
# Below it a script's own frames begin.
SCRIPTS = HERE + "scripts.py"


def describe(error):
    summary = traceback.TracebackException(type(error), error, error.__traceback__, limit=None)
    strip(summary, set())
    text = "".join(summary.format())
    if len(text) > MOST_TEXT:
        text = text[:MOST_TEXT // 2] + "\n…\n" + text[-MOST_TEXT // 2:]
    try:
        value = str(error)[:MOST_TEXT]
    except BaseException:
        value = "<unprintable>"
    lines = "[" + ", ".join([quote(line) for line in text.rstrip("\n").split("\n")]) + "]"
    parts = ['"name": ' + quote(type(error).__name__), '"value": ' + quote(value), '"traceback": ' + lines]
    limit = limit_of(error)
    if limit is not None:
        parts.append('"limit": ' + quote(limit))
    return ("{" + ", ".join(parts) + "}").encode()


def strip(summary, seen):
    """Takes the kernel's and the event loop's own frames out of a traceback and of those chained to it."""
    if summary is None or id(summary) in seen:
        return
    seen.add(id(summary))
    script = max((i for i, frame in enumerate(summary.stack) if frame.filename == SCRIPTS), default=-1)
    frames = [frame for frame in summary.stack[script + 1:] if not frame.filename.startswith(HERE)]
    first = next((i for i, frame in enumerate(frames) if frame.filename.startswith("<cell ")), None)
    if first is not None and script < 0:
        frames = frames[first:]
    summary.stack[:] = frames
    strip(summary.__cause__, seen)
    strip(summary.__context__, seen)
    for member in getattr(summary, "exceptions", None) or ():
        strip(member, seen)


def limit_of(error):
    """Which of the guest's limits an exception shows, if any."""
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return "disk"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "processes"
    if isinstance(error, BlockingIOError) and error.errno == errno.EAGAIN and comes_from_fork(error.__traceback__):
        return "processes"
    return None


def comes_from_fork(trace):
    """Tells a refused fork from a non-blocking read, which raises the same exception."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    filename = trace.tb_frame.f_code.co_filename
    return filename.endswith(("subprocess.py", "popen_fork.py", "pty.py")) or "fork" in linecache.getline(filename, trace.tb_lineno)
