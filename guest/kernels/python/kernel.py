"""Atoll's Python kernel: runs code like the cells of a notebook, in one namespace that lasts as long as the process.

It talks to the agent over descriptors 3 and 4 as ../PROTOCOL.md says. Only what the first answer needs is imported before it is ready.
"""
import _ast as ast  # the Python part of ast costs every sandbox most of a megabyte
import builtins
import os
import signal
import sys
import types
from _thread import allocate_lock, get_ident

# The files beside this one, under a name that is nobody else's and without a place on sys.path.
package = types.ModuleType("atoll_kernel")
package.__path__ = [os.path.dirname(os.path.abspath(__file__))]
sys.modules["atoll_kernel"] = package

from atoll_kernel import notebook, process, questions  # noqa: E402
from atoll_kernel.bundles import bundle  # noqa: E402
from atoll_kernel.history import History  # noqa: E402
from atoll_kernel.messages import ANSWER_FD, CODE_FD, DONE, Inbox, framed, wait_until_read, write  # noqa: E402
from atoll_kernel.variables import Variables  # noqa: E402

# How the server's own questions begin, which are no cells of the user.
HIDDEN = "def __atoll_hidden__():"
THAW_SIGNAL = 63
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
PARSE = ast.PyCF_ONLY_AST | AWAIT
CO_COROUTINE = 0x80
CAUTIOUS = (
    "Python ended while it started, so it was started once more without your own site directory: usercustomize.py, .pth files and packages that were"
    " installed for the user are left out. Mend what is in %s, then restart the context.\n"
)


class Kernel:
    def __init__(self):
        self.inbox = Inbox()
        self.variables = Variables()
        self.code = []
        self.cells = 0
        self.executing = False
        self.interruptible = False
        self.interrupted = False
        self.signals_ahead = 0
        self.signals_late = 0
        self.announced = 0
        self.forked = False
        self.plain = False  # a script runs, which is no cell of a notebook
        self.note = None
        self.lock = allocate_lock()
        self.sending = False
        self.taking = False
        self.look_again = False
        self.questions = questions.Questions(self, THAW_SIGNAL)
        self.main_thread = get_ident()
        main = types.ModuleType("__main__")
        main.__builtins__ = builtins
        main.__dict__.pop("__loader__", None)
        self.kernel_module = sys.modules["__main__"]
        sys.modules["__main__"] = main
        self.namespace = main.__dict__
        self.history = History(self.namespace)

    # Messages.

    def send(self, data, cell=None):
        """Writes whole messages; an interrupt waits until they are out, since half a message would be garbage.

        What belongs to a cell is not written once that has ended; then the answer is False.
        """
        in_main = get_ident() == self.main_thread
        interruptible = self.interruptible
        if in_main:
            self.interruptible, self.sending = False, True
        try:
            with self.lock:
                due = cell is None or self.is_executing(cell)
                if due:
                    write(data)
        finally:
            if in_main:
                self.sending, self.interruptible = False, interruptible
        if in_main and self.look_again:
            self.look_again = False
            self.take_in()
        if in_main and interruptible and self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt
        return due

    def is_executing(self, cell):
        return self.executing and not self.forked and self.cells == cell

    def serve(self):
        handlers = {73: self.interrupt_announced, 79: self.open, 81: self.questions.announce, 84: self.thaw}
        while True:
            message = self.inbox.receive()
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
                self.variables.execution = dict(pair.partition("=")[::2] for pair in pairs)
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
        if self.sending:
            # What comes may have to be answered, which must not stand in the middle of another message.
            self.look_again = True
        else:
            self.look()

    def look(self):
        self.take_in()
        if self.interruptible and self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def on_unraisable(self, unraisable):
        """An interrupt that hits a finalizer or a callback of a weak reference cannot leave it: it is raised again in the code that goes on."""
        if unraisable.exc_type is not KeyboardInterrupt or not self.interruptible or get_ident() != self.main_thread or sys.gettrace() is not None:
            sys.__unraisablehook__(unraisable)
            return
        frame = sys._getframe(1)
        frame.f_trace, frame.f_trace_opcodes = self.raise_again, True
        sys.settrace(lambda *event: None)

    def raise_again(self, frame, event, argument):
        sys.settrace(None)
        frame.f_trace, frame.f_trace_opcodes = None, False
        if self.interruptible:
            raise KeyboardInterrupt
        self.interrupted = True

    def take_in(self):
        """Takes in what comes during an execution; an interrupt waits until that is done."""
        if self.taking:
            # A signal in the middle of this very method: no message is to be taken twice.
            self.look_again = True
            return
        interruptible, self.interruptible, self.taking = self.interruptible, False, True
        try:
            self.look_again = True
            while self.look_again:
                self.look_again = False
                self.inbox.take_in()
                self.handle_early()
        finally:
            self.taking, self.interruptible = False, interruptible

    def handle_early(self):
        """Handles what need not wait for the end of the execution."""
        while self.inbox.data[:1] in (b"T", b"I", b"A"):
            message = self.inbox.take()
            if message is None:
                return
            if message[0] == 84:
                self.thaw(message[1])
            elif message[0] == 65:
                self.questions.take(message[1])
            elif self.signals_ahead > 0:
                self.signals_ahead -= 1
            else:
                self.announced += 1

    def interrupted_ahead(self):
        """Whether a signal that came before the execution was meant for it: then its announcement stands behind the code."""
        ahead = self.signals_ahead
        self.take_in()
        return self.signals_ahead < ahead

    # Opening and thawing.

    def open(self, payload):
        texts = os.fsdecode(payload).split("\0")[:-1]
        end = texts.index("", 1)
        self.variables.open(texts[1:end], texts[end + 1:])
        try:
            if texts[0]:
                os.chdir(texts[0])
            failure = 0
        except OSError as error:
            failure = error.errno
        self.send(framed(b"O", bytes([failure])))

    def thaw(self, payload):
        end = 1 + payload[0]
        self.variables.replace(os.fsdecode(payload[end:]).split("\0")[:-1])
        # Each kernel of a guest draws numbers of its own.
        process.reseed(payload[1:end] + os.getpid().to_bytes(4, "big"))
        self.send(framed(b"T", b""))
        self.questions.ask_again()

    # Executing.

    def execute(self, payload):
        self.cells += 1
        answer = b""
        hidden = self.variables.lend() if self.variables.execution else None
        self.questions.begin()
        self.executing = True
        if self.note is not None:
            self.note, text = None, self.note
            sys.stderr.write(text)
        try:
            try:
                self.interruptible = True
                if self.interrupted:
                    self.interrupted = False
                    if self.interrupted_ahead():
                        raise KeyboardInterrupt
                answer = self.answer(payload)
            finally:
                self.interruptible = False
        except BaseException as error:
            answer = self.failure(error)
            del error
        if self.forked:
            process.leave_fork()
        process.flush()
        if hidden is not None:
            self.variables.take_back(hidden)
        self.executing = False
        self.signals_late += self.announced
        self.announced = 0
        self.send(answer + DONE)

    def answer(self, payload):
        """Runs a cell; the message with its value, or nothing when it has none."""
        source = payload.decode("utf-8", "replace")
        name = f"<cell {self.cells}>"
        linecache_of()[name] = (len(source), None, source.splitlines(True), name)
        if not source.startswith(HIDDEN):
            self.history.begin(self.cells, source)
        try:
            value = self.run_with_loop(source)
        except KeyboardInterrupt:
            self.figures("close_open")
            raise
        except BaseException:
            self.figures("show_open", None)
            raise
        self.figures("show_open", value)
        if value is None:
            return b""
        self.history.remember(value)
        if hasattr(type(value), "_ipython_display_") and notebook.shows_itself(value):
            return b""
        return framed(b"r", bundle(value))

    def figures(self, function, *arguments):
        """Does something with the figures that a cell has drawn, if it has imported what draws them."""
        module = sys.modules.get("atoll_kernel.figures")
        if module is not None and not self.forked:
            getattr(module, function)(*arguments)

    def run_with_loop(self, source):
        """Runs a cell with the event loop at hand, if asyncio was ever imported; its hook lends the loop in the cell that imports it."""
        self.loop("lend")
        try:
            return self.run(source)
        finally:
            self.loop("take_back")

    def loop(self, function):
        module = sys.modules.get("atoll_kernel.event_loop")
        if module is not None:
            getattr(module.LOOP, function)()

    def run(self, source):
        name = f"<cell {self.cells}>"
        try:
            tree = compile(source, name, "exec", PARSE, True)
        except SyntaxError:
            from atoll_kernel import habits
            source = habits.translated(source)
            if source is None:
                raise
            tree = None
        # Apart from the handler, so that what goes wrong now is not told as a consequence of it.
        if tree is None:
            tree = compile(source, name, "exec", PARSE, True)
        return self.run_tree(tree, name, source)

    def run_tree(self, tree, name, source):
        """Runs statements; the value of the last one if it is an expression that no semicolon follows."""
        body = tree.body
        last = body.pop() if body and type(body[-1]) is ast.Expr else None
        if body:
            self.evaluate(compile(tree, name, "exec", AWAIT, True))
        if last is None:
            return None
        value = self.evaluate(compile(ast.Expression(last.value), name, "eval", AWAIT, True))
        return None if value is None or is_hidden(last, source) else value

    def evaluate(self, code):
        value = eval(code, self.namespace)
        if not code.co_flags & CO_COROUTINE:
            return value
        from atoll_kernel.event_loop import LOOP
        return LOOP.run(value)

    def failure(self, error):
        try:
            if self.forked:
                process.leave_fork(error)
            from atoll_kernel.errors import describe
            return framed(b"e", describe(error))
        except BaseException as second:
            return framed(b"e", b'{"name": "%s", "value": "", "traceback": ["the error could not be described: %s"]}'
                          % (type(error).__name__.encode("ascii", "replace"), type(second).__name__.encode("ascii", "replace")))

    def show(self, data):
        """Sends the JSON of a bundle on the way, apart from plain output."""
        if self.executing and not self.forked:
            process.flush()
            self.send(framed(b"d", data))

    def clear(self, data):
        """Sends the message that what was shown goes away; what is printed from now on comes after it."""
        if self.executing and not self.forked:
            self.show(data)
            self.settle()

    def settle(self):
        """Waits until the agent has passed on what was sent: it reads a message that says nothing only when it is done with those before it."""
        if wait_until_read():
            self.send(framed(b"S", b""))
            wait_until_read()

    def on_fork(self):
        self.forked = True
        self.loop("forget")


def is_hidden(expression, source):
    """Whether a semicolon follows an expression statement, which is how notebooks leave its value out."""
    if ";" not in source:
        return False
    lines = source.encode("utf-8", "replace").split(b"\n")[expression.end_lineno - 1:]
    return b"\n".join(lines)[expression.end_col_offset:].lstrip().startswith(b";")


def linecache_of():
    """The cache that tracebacks take source lines from."""
    module = sys.modules.get("linecache")
    if module is None:
        import linecache as module
    return module.cache


def no_debugger(*arguments, **options):
    from atoll_kernel.process import NO_DEBUGGER
    raise RuntimeError(NO_DEBUGGER)


def cautious_start():
    """What to say when the agent left out the user's own site; programs that are started from here have it again."""
    if os.environ.pop("ATOLL_CAUTIOUS_START", None) is None:
        return None
    os.environ.pop("PYTHONNOUSERSITE", None)
    import site
    return CAUTIOUS % site.getusersitepackages()


def main():
    kernel = Kernel()
    kernel.note = cautious_start()
    for fd in (CODE_FD, ANSWER_FD):
        os.set_inheritable(fd, False)
    process.replace_streams()
    preloaded = sys.argv[1:]
    sys.argv = [""]
    sys.path[0] = ""
    signal.signal(signal.SIGINT, kernel.on_interrupt)
    signal.signal(THAW_SIGNAL, kernel.on_thaw)
    sys.unraisablehook = kernel.on_unraisable
    os.register_at_fork(after_in_child=kernel.on_fork)
    sys.breakpointhook = no_debugger
    notebook.install(kernel)
    questions.install(kernel.questions)
    if preloaded or os.path.exists("/etc/atoll/preload"):
        from atoll_kernel import preload
        preload.run(*preloaded)
    kernel.send(framed(b"R", bytes([THAW_SIGNAL, 0, 1])))
    # What the first error needs is loaded while nobody waits.
    from atoll_kernel import errors, habits  # noqa: F401
    kernel.serve()


main()
