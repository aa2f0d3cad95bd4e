"""Questions: what code would read from its standard input is asked of whoever runs it, if that one has said that he answers."""
import builtins
import select
import signal
import sys
import time
from _thread import allocate_lock, get_ident

from atoll_kernel import process
from atoll_kernel.bundles import quote
from atoll_kernel.messages import CODE_FD, framed
from atoll_kernel.process import NoStdin

MOST_PROMPT = 4000
# How soon a thread notices that the cell which it belongs to has ended.
PATIENCE = 0.5


class Questions:
    """Any thread of a cell may ask; one at a time does. Answers are taken in by the main thread, as all that the agent sends."""

    def __init__(self, kernel, thaw_signal):
        self.kernel = kernel
        self.signal = thaw_signal
        self.announced = False  # for the execution that comes next
        self.allowed = False
        self.turn = allocate_lock()
        self.number = 0
        self.pending = None
        self.answer = None

    def announce(self, payload):
        self.announced = True

    def begin(self):
        self.allowed, self.announced = self.announced, False

    def possible(self):
        return self.allowed and self.kernel.executing and not self.kernel.forked

    def ask(self, prompt, password=False):
        """The line that is the answer, None at the end of the input."""
        if not self.possible():
            raise EOFError(NoStdin.MESSAGE)
        cell = self.kernel.cells
        with self.turn:
            if len(prompt) > MOST_PROMPT:
                sys.stdout.write(prompt[:-MOST_PROMPT])
                prompt = prompt[-MOST_PROMPT:]
            process.flush()
            self.number += 1
            secret = ', "password": true' if password else ""
            question = framed(b"q", f'{{"number": {self.number}, "prompt": {quote(prompt)}{secret}}}'.encode())
            try:
                self.answer, self.pending = None, question
                self.tell(question, cell)
                self.wait(cell)
                return self.answer[0]
            finally:
                self.answer = self.pending = None
                self.tell(framed(b"q", b'{"number": %d, "over": true}' % self.number), cell, True)

    def tell(self, message, cell, quietly=False):
        """The agent takes a question only while an execution is under way."""
        if not self.kernel.send(message, cell) and not quietly:
            raise EOFError(NoStdin.MESSAGE)

    def wait(self, cell):
        kernel = self.kernel
        in_main = get_ident() == kernel.main_thread
        while self.answer is None:
            if not kernel.is_executing(cell) or kernel.inbox.ended:
                raise EOFError(NoStdin.MESSAGE)
            if in_main:
                select.select([CODE_FD], [], [])
                kernel.look()
            elif select.select([CODE_FD], [], [], PATIENCE)[0] and self.answer is None:
                signal.pthread_kill(kernel.main_thread, self.signal)
                time.sleep(0.02)

    def take(self, payload):
        """An answer; one that comes too late is for nobody."""
        if self.pending is not None and int.from_bytes(payload[:4], "big") == self.number:
            self.answer = (None if payload[4] else payload[5:].decode("utf-8", "replace"),)

    def ask_again(self):
        """After a restore: whoever is there now has not heard the question."""
        if self.pending is not None and self.answer is None:
            self.kernel.send(self.pending, self.kernel.cells)


def install(questions):
    NoStdin.questions = questions
    plain = builtins.input

    def input(prompt="", /):
        if not isinstance(sys.stdin, NoStdin) or not questions.possible():
            return plain(prompt)
        line = questions.ask(str(prompt))
        if line is None:
            raise EOFError("EOF when reading a line")
        return line

    input.__doc__ = plain.__doc__
    builtins.input = input
