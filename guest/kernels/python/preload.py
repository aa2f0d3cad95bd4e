"""Imports that a template wants done before its checkpoint is taken, so that they cost nothing in a sandbox."""
import gc
import os
import select
import sys

from atoll_kernel.messages import CODE_FD

FILE = "/etc/atoll/preload"


def wanted(file):
    """The modules to import: none when somebody waits for this kernel, who then has already sent a message."""
    try:
        with open(file) as lines:
            names = lines.read().split()
    except OSError:
        return []
    return [] if select.select([CODE_FD], [], [], 0)[0] else names


def run(file=FILE):
    """A module that cannot be imported ends the kernel, and so the build of the template."""
    names = wanted(file)
    if not names:
        return
    failed = None
    silent = os.open(os.devnull, os.O_WRONLY)
    kept = [os.dup(1), os.dup(2)]
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    try:
        for name in names:
            try:
                __import__(name)
            except BaseException as error:
                failed = f"preload: {name} cannot be imported: {type(error).__name__}: {error}"
                break
        # What is here now stays: no collection of garbage needs to look at it, nor touch its memory, again.
        gc.collect()
        gc.freeze()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for fd, before in zip((1, 2), kept):
            os.dup2(before, fd)
            os.close(before)
        os.close(silent)
    if failed is not None:
        raise SystemExit(failed)
