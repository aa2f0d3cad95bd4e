"""What the process itself looks like to user code: its streams, its random numbers, its forked children."""
import io
import os
import sys


class NoStdin(io.TextIOBase):
    """Stands for sys.stdin: nobody is there to type, unless whoever runs the code answers questions."""

    MESSAGE = "stdin is not available in run_code; pass data as a file or variable"
    questions = None

    def __init__(self):
        # What is left of a line that was not read as a whole.
        self.rest = ""

    def readable(self):
        return True

    def readline(self, size=-1):
        line = self.rest or self.line()
        end = len(line) if size is None or size < 0 else size
        self.rest = line[end:]
        return line[:end]

    def read(self, size=-1):
        text = self.rest
        while size is None or size < 0 or len(text) < size:
            line = self.line()
            if not line:
                break
            text += line
        end = len(text) if size is None or size < 0 else size
        self.rest = text[end:]
        return text[:end]

    def line(self):
        """The next line with its end, empty when there is none."""
        if self.questions is None:
            raise EOFError(self.MESSAGE)
        answer = self.questions.ask("")
        return "" if answer is None else answer + "\n"


NO_DEBUGGER = (
    "nobody can type here, so there is no debugger's prompt; the traceback is in the error, print() shows values on the way,"
    " and in a terminal of the sandbox `python3 -m pdb FILE` works")


def text_stream(fd, name):
    raw = io.FileIO(fd, "w", closefd=False)
    raw.name = name
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True)


def replace_streams():
    sys.stdin = sys.__stdin__ = NoStdin()
    sys.stdout = sys.__stdout__ = text_stream(1, "<stdout>")
    sys.stderr = sys.__stderr__ = text_stream(2, "<stderr>")


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass  # Closed or replaced by user code: there is nothing of ours left to write.


def leave_fork(error=None):
    """Ends a child that user code forked: only the kernel itself serves."""
    status = 0
    if isinstance(error, SystemExit):
        status = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    elif error is not None:
        import traceback
        traceback.print_exception(error)
        status = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status & 255)


def reseed(seed):
    """Gives every random generator that could be shared with a sibling of this guest a new start."""
    number = int.from_bytes(seed, "big")
    random = sys.modules.get("random")
    if random is not None:
        random.seed(number)
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        quietly(numpy_random, "seed", [number >> shift & 0xFFFFFFFF for shift in range(0, max(number.bit_length(), 1), 32)])
    torch = sys.modules.get("torch")
    if torch is not None:
        quietly(torch, "manual_seed", number & 0x7FFFFFFFFFFFFFFF)
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._node = uuid._last_timestamp = None
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None


def quietly(module, function, argument):
    """A library that is only half imported, or that user code has broken, must not stop a thaw."""
    try:
        getattr(module, function)(argument)
    except Exception:
        pass
