"""Atoll's Python kernel: runs code like the cells of a notebook, in one namespace that lasts as long as the process.

It talks to the agent over descriptors 3 and 4 as ../PROTOCOL.md says. Only what the first answer needs is imported before it is ready.
"""
import _ast as ast  # the Python part of ast costs every sandbox most of a megabyte
import builtins
import errno
import io
import os
import select
import signal
import sys
import types
from _thread import allocate_lock, get_ident

try:
    from _json import encode_basestring_ascii as quote
except ImportError:
    from json.encoder import py_encode_basestring_ascii as quote

CODE_FD, ANSWER_FD = 3, 4
THAW_SIGNAL = 63
MOST_TEXT = 1 << 20
MOST_BUNDLE = 15 << 20
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
PARSE = ast.PyCF_ONLY_AST | AWAIT
CO_COROUTINE = 0x80
PLAIN = frozenset((int, float, str, bytes, bool, complex, list, tuple, dict, set, frozenset, range, type))
KERNEL_FILE = __file__
DONE = b"D\0\0\0\0"


class NoStdin(io.TextIOBase):
    """Stands for sys.stdin: nobody is there to type."""

    MESSAGE = "stdin is not available in run_code; pass data as a file or variable"

    def readable(self):
        return True

    def readline(self, size=-1):
        raise EOFError(self.MESSAGE)

    def read(self, size=-1):
        raise EOFError(self.MESSAGE)

    def __next__(self):
        raise EOFError(self.MESSAGE)


def framed(kind, payload):
    return kind + len(payload).to_bytes(4, "big") + payload


def json_object(pairs):
    return ("{" + ", ".join([quote(key) + ": " + quote(value) for key, value in pairs]) + "}").encode()


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
    import linecache
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    filename = trace.tb_frame.f_code.co_filename
    return filename.endswith(("subprocess.py", "popen_fork.py", "pty.py")) or "fork" in linecache.getline(filename, trace.tb_lineno)


class Kernel:
    def __init__(self):
        self.inbox = b""
        self.code = []
        self.cells = 0
        self.loop = None
        self.executing = False
        self.interruptible = False
        self.interrupted = False
        self.signals_ahead = 0
        self.signals_late = 0
        self.announced = 0
        self.reading = False
        self.forked = False
        self.thaw_variables = {}
        self.context_variables = {}
        self.run_variables = {}
        self.lock = allocate_lock()
        self.main_thread = get_ident()
        main = types.ModuleType("__main__")
        main.__builtins__ = builtins
        main.__dict__.pop("__loader__", None)
        self.kernel_module = sys.modules["__main__"]
        sys.modules["__main__"] = main
        self.namespace = main.__dict__

    # Messages.

    def send(self, data):
        """Writes whole messages; an interrupt waits until they are out, since half a message would be garbage."""
        in_main = get_ident() == self.main_thread
        interruptible = self.interruptible
        if in_main:
            self.interruptible = False
        try:
            with self.lock:
                view = memoryview(data)
                while view:
                    view = view[os.write(ANSWER_FD, view):]
        finally:
            if in_main:
                self.interruptible = interruptible
        if in_main and interruptible and self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def take(self):
        """Removes one whole message from the inbox, or returns None."""
        inbox = self.inbox
        if len(inbox) < 5:
            return None
        end = 5 + int.from_bytes(inbox[1:5], "big")
        if len(inbox) < end:
            return None
        self.inbox = inbox[end:]
        return inbox[0], inbox[5:end]

    def receive(self):
        while True:
            message = self.take()
            if message is not None:
                return message
            data = os.read(CODE_FD, 65536)
            if not data:
                return None
            self.inbox += data

    def waiting(self):
        """Takes in what has arrived without waiting for more."""
        if self.reading:
            # A signal in the middle of this very method; what is there will be taken in by the outer call.
            return
        self.reading = True
        try:
            while select.select([CODE_FD], [], [], 0)[0]:
                data = os.read(CODE_FD, 65536)
                if not data:
                    return
                self.inbox += data
        finally:
            self.reading = False

    def serve(self):
        handlers = {73: self.interrupt_announced, 79: self.open, 84: self.thaw}
        while True:
            message = self.receive()
            if message is None:
                return
            kind, payload = message
            if kind == 88:  # X
                if self.code:
                    payload = b"".join(self.code) + payload
                    self.code = []
                self.execute(payload)
            elif kind == 69:  # E
                self.code.append(payload)
            elif kind == 86:  # V
                pairs = os.fsdecode(payload).split("\0")[:-1]
                self.run_variables = dict(pair.partition("=")[::2] for pair in pairs)
            elif kind in handlers:
                handlers[kind](payload)

    # Signals.

    # The agent announces each interrupt with a message before it sends the signal. Either may be taken in first, and the signal may arrive late, in the execution
    # after the one it was meant for: such a one hits nothing. One without any message was raised by the program itself.

    def on_interrupt(self, number, frame):
        if not self.interruptible:
            self.interrupted = True
            if self.announced > 0:
                self.announced -= 1
            else:
                self.signals_ahead += 1
            return
        self.take_in()
        again, self.interrupted = self.interrupted, False
        if self.announced > 0:
            self.announced -= 1
        elif self.signals_late > 0 and not again:
            self.signals_late -= 1
            return
        raise KeyboardInterrupt

    def interrupt_announced(self, payload):
        if self.signals_ahead > 0:
            self.signals_ahead -= 1
        else:
            self.signals_late += 1

    def on_thaw(self, number, frame):
        # An idle kernel reads the message by itself.
        if not self.executing or self.forked:
            return
        self.take_in()
        if self.interruptible and self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def take_in(self):
        """Takes in what comes during an execution; an interrupt waits until that is done."""
        interruptible, self.interruptible = self.interruptible, False
        try:
            self.waiting()
            while self.inbox[:1] in (b"T", b"I"):
                message = self.take()
                if message is None:
                    return
                if message[0] == 84:
                    self.thaw(message[1])
                elif self.signals_ahead > 0:
                    self.signals_ahead -= 1
                else:
                    self.announced += 1
        finally:
            self.interruptible = interruptible

    def interrupted_ahead(self):
        """Whether a signal that came before the execution was meant for it: then its announcement stands behind the code."""
        ahead = self.signals_ahead
        self.take_in()
        return self.signals_ahead < ahead

    # Opening and thawing.

    def set_thaw_variables(self, pairs):
        for name in self.thaw_variables:
            if name not in self.context_variables:
                os.environ.pop(name, None)
        self.thaw_variables = dict(pair.partition("=")[::2] for pair in pairs)
        for name, value in self.thaw_variables.items():
            if name not in self.context_variables:
                os.environ[name] = value

    def open(self, payload):
        texts = os.fsdecode(payload).split("\0")[:-1]
        end = texts.index("", 1)
        self.context_variables = dict(pair.partition("=")[::2] for pair in texts[end + 1:] if not pair.startswith("="))
        self.set_thaw_variables(texts[1:end])
        os.environ.update(self.context_variables)
        try:
            if texts[0]:
                os.chdir(texts[0])
            failure = 0
        except OSError as error:
            failure = error.errno
        self.send(framed(b"O", bytes([failure])))

    def thaw(self, payload):
        end = 1 + payload[0]
        self.set_thaw_variables(os.fsdecode(payload[end:]).split("\0")[:-1])
        # Each kernel of a guest draws numbers of its own.
        reseed(payload[1:end] + os.getpid().to_bytes(4, "big"))
        self.send(framed(b"T", b""))

    # Executing.

    def execute(self, payload):
        self.cells += 1
        answer = b""
        hidden = self.lend_variables() if self.run_variables else None
        self.executing = True
        try:
            try:
                self.interruptible = True
                if self.interrupted:
                    self.interrupted = False
                    if self.interrupted_ahead():
                        raise KeyboardInterrupt
                value = self.run(payload)
                if value is not None:
                    self.namespace["_"] = value
                    answer = framed(b"r", bundle(value))
            finally:
                self.interruptible = False
        except BaseException as error:
            answer = self.failure(error)
            del error
        if self.forked:
            leave_fork()
        self.flush()
        if hidden is not None:
            self.take_back_variables(hidden)
        self.executing = False
        self.signals_late += self.announced
        self.announced = 0
        self.send(answer + DONE)

    def lend_variables(self):
        """Sets the variables of this execution alone and returns what they hide."""
        hidden = {name: os.environ.get(name) for name in self.run_variables}
        os.environ.update(self.run_variables)
        self.run_variables = {}
        return hidden

    def take_back_variables(self, hidden):
        for name, value in hidden.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def run(self, payload):
        name = f"<cell {self.cells}>"
        source = payload.decode("utf-8", "replace")
        cache = linecache_of()
        if cache is not None:
            cache[name] = (len(source), None, source.splitlines(True), name)
        tree = compile(source, name, "exec", PARSE, True)
        body = tree.body
        last = body.pop().value if body and type(body[-1]) is ast.Expr else None
        if body:
            self.evaluate(compile(tree, name, "exec", AWAIT, True))
        if last is None:
            return None
        return self.evaluate(compile(ast.Expression(last), name, "eval", AWAIT, True))

    def evaluate(self, code):
        value = eval(code, self.namespace)
        return self.wait_for(value) if code.co_flags & CO_COROUTINE else value

    def wait_for(self, coroutine):
        import asyncio
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            self.loop.run_until_complete(asyncio.wait([task], timeout=2))
            raise

    def failure(self, error):
        try:
            if self.forked:
                leave_fork(error)
            return framed(b"e", describe(error))
        except BaseException as second:
            return framed(b"e", b'{"name": "%s", "value": "", "traceback": ["the error could not be described: %s"]}'
                          % (type(error).__name__.encode("ascii", "replace"), type(second).__name__.encode("ascii", "replace")))

    def flush(self):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                pass  # Closed or replaced by user code: there is nothing of ours left to write.

    def display(self, *values):
        """Shows values on the way, apart from plain output."""
        for value in values:
            data = framed(b"d", bundle(value))
            if self.executing and not self.forked:
                self.flush()
                self.send(data)


def linecache_of():
    """The cache that tracebacks take source lines from."""
    module = sys.modules.get("linecache")
    if module is None:
        import linecache as module
    return module.cache


def bundle(value):
    """The MIME bundle of a value; only a failing repr is an error."""
    text = repr(value)
    if len(text) > MOST_TEXT:
        text = text[:MOST_TEXT] + f"… ({len(text)} characters)"
    if type(value) in PLAIN:
        return json_object((("text/plain", text),))
    pairs = {"text/plain": text}
    pairs.update(rich(value))
    data = json_object(pairs.items())
    return data if len(data) <= MOST_BUNDLE else json_object((("text/plain", text),))


def rich(value):
    """What the object itself offers beyond its repr."""
    found = {}
    if isinstance(value, type):
        return found
    for method, mime in (("_repr_html_", "text/html"), ("_repr_markdown_", "text/markdown"), ("_repr_svg_", "image/svg+xml"),
                         ("_repr_latex_", "text/latex"), ("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"), ("_repr_json_", "application/json")):
        if hasattr(type(value), method):
            add(found, mime, call(getattr(value, method)))
    if hasattr(type(value), "_repr_mimebundle_"):
        given = call(value._repr_mimebundle_)
        if isinstance(given, tuple) and given:
            given = given[0]
        if isinstance(given, dict):
            for mime, data in given.items():
                add(found, mime, data)
    return found


def call(method):
    try:
        return method()
    except Exception:
        return None


def add(found, mime, data):
    if isinstance(data, tuple) and data:
        data = data[0]
    if isinstance(data, bytes):
        import base64
        data = base64.b64encode(data).decode()
    elif isinstance(data, (dict, list)):
        import json
        try:
            data = json.dumps(data)
        except (TypeError, ValueError):
            return
    if isinstance(mime, str) and isinstance(data, str):
        found[mime] = data


def describe(error):
    """The JSON of an error: its traceback shows the user's lines only."""
    import traceback
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
    frames = [frame for frame in summary.stack if frame.filename != KERNEL_FILE]
    first = next((i for i, frame in enumerate(frames) if frame.filename.startswith("<cell ")), None)
    if first is not None:
        frames = frames[first:]
    summary.stack[:] = frames
    strip(summary.__cause__, seen)
    strip(summary.__context__, seen)
    for member in getattr(summary, "exceptions", None) or ():
        strip(member, seen)


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
        call(lambda: numpy_random.seed([number >> shift & 0xFFFFFFFF for shift in range(0, max(number.bit_length(), 1), 32)]))
    torch = sys.modules.get("torch")
    if torch is not None:
        call(lambda: torch.manual_seed(number & 0x7FFFFFFFFFFFFFFF))
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._node = uuid._last_timestamp = None
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None


def text_stream(fd, name):
    raw = io.FileIO(fd, "w", closefd=False)
    raw.name = name
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True)


def main():
    kernel = Kernel()
    for fd in (CODE_FD, ANSWER_FD):
        os.set_inheritable(fd, False)
    sys.stdin = sys.__stdin__ = NoStdin()
    sys.stdout = sys.__stdout__ = text_stream(1, "<stdout>")
    sys.stderr = sys.__stderr__ = text_stream(2, "<stderr>")
    sys.argv = [""]
    sys.path[0] = ""
    builtins.display = kernel.display
    signal.signal(signal.SIGINT, kernel.on_interrupt)
    signal.signal(THAW_SIGNAL, kernel.on_thaw)
    os.register_at_fork(after_in_child=lambda: setattr(kernel, "forked", True))
    kernel.send(framed(b"R", bytes([THAW_SIGNAL])))
    # What the first error needs is loaded while nobody waits.
    import traceback  # noqa: F401
    kernel.serve()


main()
