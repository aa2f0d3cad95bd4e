"""What a sentry could do if a guest had taken it over: this program enters the namespaces of a process, takes its root, its user and its capabilities, and tries.

Without the sentry's filter of system calls, so it can do more than the sentry. Arguments: the process, then paths of the host, then "--", then processes of the host. Prints one JSON object.
"""
import ctypes
import json
import os
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
NAMESPACES = 0x10000000 | 0x00020000 | 0x20000000 | 0x08000000 | 0x04000000 | 0x40000000 | 0x02000000
PR_SET_NO_NEW_PRIVS = 38
MS_BIND = 4096


def checked(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def outcome(attempt):
    """The name of the error, or what came of it."""
    try:
        return attempt()
    except OSError as error:
        return type(error).__name__ if error.errno is None else os.strerror(error.errno)


def capabilities(status):
    return int(next(line.split()[1] for line in status if line.startswith("CapEff:")), 16)


def set_capabilities(mask):
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(mask & 0xFFFFFFFF, mask & 0xFFFFFFFF, 0, mask >> 32, mask >> 32, 0)
    checked(libc.capset(header, data))


def seen():
    """Everything below the root, but for the files of processes."""
    found = []
    for folder, folders, files in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc/sandbox-proc", "/proc/host-proc", "/proc/self")]
        found += [os.path.join(folder, name) for name in folders + files]
    return found


def processes():
    for folder in ("/proc/sandbox-proc", "/proc/host-proc", "/proc"):
        if os.path.isdir(folder + "/self"):
            return [name for name in os.listdir(folder) if name.isdigit()]
    return []


def attempts(paths, pids):
    return {
        "uid": os.getuid(),
        "seen": seen(),
        "processes": processes(),
        "paths": {path: outcome(lambda: os.listdir(path) if os.path.isdir(path) else open(path).read(1)) for path in paths},
        "climbed": outcome(lambda: os.listdir("../../../../../../..")),
        "signals": {pid: outcome(lambda: os.kill(int(pid), 0)) for pid in pids},
        "interfaces": outcome(lambda: [name for _, name in socket.if_nameindex()]),
        "mount": outcome(lambda: checked(libc.mount(b"none", b"/proc", b"tmpfs", 0, None))),
        "remount": outcome(lambda: checked(libc.mount(b"none", b"/", None, 32 | MS_BIND, None))),
        "write": outcome(lambda: open("/new", "w").close()),
        "hostname": outcome(lambda: socket.sethostname("taken")),
        "device": outcome(lambda: os.mknod("/device", 0o60666, os.makedev(8, 0))),
    }


def main():
    split = sys.argv.index("--")
    target, paths, pids = int(sys.argv[1]), sys.argv[2:split], sys.argv[split + 1:]
    with open(f"/proc/{target}/status") as file:
        mask = capabilities(file)
    root = os.open(f"/proc/{target}/root", os.O_PATH | os.O_DIRECTORY)
    process = os.pidfd_open(target)
    os.setgroups([])
    # What is loaded later could not be found any more.
    "".encode("idna"), json.dumps({})
    checked(libc.setns(process, NAMESPACES))
    os.close(process)
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.fchdir(root)
    os.chroot(".")
    os.close(root)
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    set_capabilities(mask)
    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    print(json.dumps(attempts(paths, pids)), flush=True)
    os._exit(0)


main()
