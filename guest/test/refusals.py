"""System calls that fail: a seccomp filter for a child, for tests of what happens when the kernel says no."""
import ctypes
import errno
import struct

PRCTL, PRLIMIT, PREAD, CLOSE_RANGE, STATFS, SYSINFO, SETSID = 157, 302, 17, 436, 137, 99, 112
SET_SUBREAPER, SET_NO_NEW_PRIVS, SET_DUMPABLE = 36, 38, 4

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARGUMENTS = 0, 16


def _filter(rules):
    """Instructions for rules of (system call, {index of an argument: value}, error)."""
    program = []
    for number, arguments, error in rules:
        tests = [(_NUMBER, number)] + [(_ARGUMENTS + 8 * index, value) for index, value in arguments.items()]
        for i, (offset, value) in enumerate(tests):
            program.append((_LOAD, 0, 0, offset))
            # A test that fails jumps over the tests behind it and over this rule's end.
            program.append((_EQUAL, 0, 2 * (len(tests) - i - 1) + 1, value))
        program.append((_RETURN, 0, 0, _ERRNO | error))
    return program + [(_RETURN, 0, 0, _ALLOW)]


def refuse(*rules):
    """For preexec_fn: the child, and all that it starts, has these calls fail. x86-64 only, as the agent is."""
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in _filter(rules))
    buffer = ctypes.create_string_buffer(program)
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer)))
        # Without privileges a filter needs the first of the two; the test of that very flag is about the call's result.
        if libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, header, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no seccomp filter")
    return install


def refuse_limit(resource):
    return (PRLIMIT, {1: resource}, errno.EPERM)
