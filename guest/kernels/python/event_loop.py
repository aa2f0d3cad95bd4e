"""The event loop of a context. Code finds it as the running one everywhere in a cell: before the first await, and in cells without any.

Loaded once asyncio is. In plain code the loop is only lent: it does not run, so asyncio.run() and its like, which refuse to start inside a running loop, put it aside meanwhile.
"""
import asyncio
import contextvars
import functools
import sys
from asyncio import base_events, events, runners
from _thread import get_ident

MISSING = object()
# How long a coroutine that was interrupted may take for its finally clauses.
PATIENCE = 2


class ContextLoop:
    def __init__(self):
        self.loop = None
        self.thread = get_ident()

    def current(self):
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        return self.loop

    def lend(self):
        """Lets plain code of the main thread find the loop, to make tasks and futures for it."""
        events._set_running_loop(self.current())

    def take_back(self):
        events._set_running_loop(None)

    def forget(self):
        """A forked child must not share what the parent's loop waits for."""
        self.loop = None
        events._set_running_loop(None)

    def run(self, coroutine):
        """Runs a coroutine to its end; variables of the context that it set stay set for what comes after it."""
        loop = self.current()
        context = contextvars.copy_context()
        task = loop.create_task(coroutine, context=context) if sys.version_info >= (3, 11) else loop.create_task(coroutine)
        try:
            return loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            loop.run_until_complete(asyncio.wait([task], timeout=PATIENCE))
            raise
        finally:
            for variable, value in context.items():
                if variable.get(MISSING) is not value:
                    variable.set(value)


def aside(function):
    """Puts the loop aside while a function runs that wants none to be running."""
    @functools.wraps(function)
    def call(*arguments, **options):
        lent = events._get_running_loop()
        if lent is None or lent is not LOOP.loop or lent.is_running():
            return function(*arguments, **options)
        events._set_running_loop(None)
        try:
            return function(*arguments, **options)
        finally:
            events._set_running_loop(lent)

    return call


def install():
    asyncio.run = runners.run = aside(runners.run)
    if hasattr(runners, "Runner"):
        runners.Runner.run = aside(runners.Runner.run)
    base_events.BaseEventLoop.run_until_complete = aside(base_events.BaseEventLoop.run_until_complete)
    base_events.BaseEventLoop.run_forever = aside(base_events.BaseEventLoop.run_forever)


LOOP = ContextLoop()
install()
