"""Run as root of a guest: tries every known way to the agent's descriptors and memory. Prints one line for each, `refused` or `REACHED`."""
import ctypes
import os
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
PTRACE, PROCESS_VM_READV, PROCESS_VM_WRITEV, PIDFD_OPEN, PIDFD_GETFD, SETNS, UNSHARE, MOUNT, KCMP = 101, 310, 311, 434, 438, 308, 272, 165, 312
ATTACH, SEIZE = 16, 0x4206
NEW_USER, NEW_MOUNTS, NEW_PIDS = 0x10000000, 0x00020000, 0x20000000
BIND = 4096
TEXT = b"written by root of the guest\n"


def told(what, reached):
    print("REACHED" if reached else "refused", what, flush=True)


def call(number, *arguments):
    LIBC.syscall.restype = ctypes.c_long
    return LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])


def opens(path, flags):
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK)
    except OSError:
        return False
    # Something that has been opened for writing is written to, so that the host would notice.
    if flags & (os.O_WRONLY | os.O_RDWR):
        try:
            os.write(descriptor, TEXT)
        except OSError:
            pass
    os.close(descriptor)
    return True


def agents():
    """The agent and its own processes: all of root's, but this one and those above it."""
    own, pid = set(), os.getpid()
    while pid > 1:
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        name = open(f"/proc/{pid}/comm").read().strip()
        if name not in ("atoll-supervise", "agent", "atoll-files"):
            own.add(pid)
        pid = int(fields[1])
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) not in own and os.stat("/proc/" + entry).st_uid == 0:
            yield int(entry)


def probe_descriptors(proc, pid):
    for folder in (f"{proc}/{pid}/fd", f"{proc}/{pid}/task/{pid}/fd"):
        for descriptor in range(0, 128):
            path = f"{folder}/{descriptor}"
            if not os.path.lexists(path):
                continue
            for name, flags in (("write", os.O_WRONLY), ("append", os.O_WRONLY | os.O_APPEND), ("read", os.O_RDONLY), ("both", os.O_RDWR)):
                told(f"{name} {path}", opens(path, flags))
            try:
                told(f"follow {path}", bool(os.readlink(path)))
            except OSError:
                told(f"follow {path}", False)


def probe_process(pid):
    probe_descriptors("/proc", pid)
    for name, flags in (("mem", os.O_RDWR), ("mem", os.O_RDONLY), ("maps", os.O_RDONLY), ("environ", os.O_RDONLY)):
        reached = opens(f"/proc/{pid}/{name}", flags)
        if name == "environ" and reached:
            # An environment that is empty tells nothing.
            reached = bool(open(f"/proc/{pid}/environ", "rb").read(1))
        told(f"{name} {pid}", reached)
    for name in ("root", "cwd", "exe"):
        told(f"{name} {pid}", os.path.exists(f"/proc/{pid}/{name}"))
    told(f"attach {pid}", call(PTRACE, ATTACH, pid, 0, 0) == 0)
    told(f"seize {pid}", call(PTRACE, SEIZE, pid, 0, 0) == 0)
    buffer = ctypes.create_string_buffer(8)
    vector = (ctypes.c_long * 2)(ctypes.addressof(buffer), 8)
    remote = (ctypes.c_long * 2)(0x400000, 8)
    for number in (PROCESS_VM_READV, PROCESS_VM_WRITEV):
        told(f"vm {number} {pid}", call(number, pid, ctypes.byref(vector), 1, ctypes.byref(remote), 1, 0) > 0)
    pidfd = call(PIDFD_OPEN, pid, 0)
    for descriptor in (64, 65, 66):
        told(f"getfd {descriptor} of {pid}", pidfd >= 0 and call(PIDFD_GETFD, pidfd, descriptor, 0) >= 0)
    if pidfd >= 0:
        told(f"enter mounts of {pid}", call(SETNS, pidfd, NEW_MOUNTS) == 0)


def inside_namespace(flags, look):
    """In a child with namespaces of its own, where it may be root with every capability."""
    child = os.fork()
    if child == 0:
        if call(UNSHARE, flags) == 0:
            look()
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)


def look_by_another_proc():
    if call(MOUNT, b"proc", b"/mnt", b"proc", 0, 0) == 0 and os.path.exists("/mnt/1"):
        probe_descriptors("/mnt", 1)


def probe_mounts():
    os.makedirs("/tmp/over", exist_ok=True)
    for target in (b"/proc", b"/dev", b"/etc", b"/opt/atoll", b"/"):
        told(f"tmpfs over {target.decode()}", call(MOUNT, b"tmpfs", target, b"tmpfs", 0, 0) == 0)
        told(f"bind over {target.decode()}", call(MOUNT, b"/tmp/over", target, b"none", BIND, 0) == 0)
    told("a namespace of mounts", call(UNSHARE, NEW_MOUNTS) == 0)


if sys.argv[-1] == "mounts":
    probe_mounts()
else:
    for agent in agents():
        probe_process(agent)
    inside_namespace(NEW_USER | NEW_MOUNTS, look_by_another_proc)
    inside_namespace(NEW_USER, lambda: probe_process(1))
