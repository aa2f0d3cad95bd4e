"""What the agent does when the kernel refuses what a limit or a boundary rests on: it never goes on without."""
import errno
import os
import pwd
import resource
import subprocess
import time
import unittest

from agent_case import AGENT, AgentCase
from client import Client
from refusals import CLOSE_RANGE, PRCTL, PREAD, SET_DUMPABLE, SET_NO_NEW_PRIVS, SET_SUBREAPER, SETSID, STATFS, SYSINFO, refuse, refuse_limit

MEMORY, DISK, PROCESSES = 1, 2, 3
# The agent's look at /proc/meminfo, and no read of a program's own.
LOOK_AT_MEMORY = (PREAD, {2: 511}, errno.EIO)
GIB = 1 << 30


class RefusedCase(AgentCase):
    extra_config = ""
    rules = ()

    def start_agent(self):
        self.log = open(os.path.join(self.directory, "log"), "w")
        self.agent = subprocess.Popen([AGENT, "--config", self.config], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, preexec_fn=refuse(*self.rules))
        self.addCleanup(self.stop_agent)
        self.client = Client(self.agent.stdout.fileno(), self.agent.stdin.fileno())
        self.hello = self.client.expect(0, "Hello", 30)

    def limit(self, **limits):
        self.client.send(0, "Thaw", limits=limits)
        self.client.expect(0, "Thawed")

    def refusal(self, *argv, **fields):
        channel = self.client.open("Start", argv=list(argv), **fields)
        return self.client.expect(channel, "Failed").message

    def assert_refused(self, what, **fields):
        self.assertIn(what, self.refusal("touch", self.path("ran"), **fields))
        self.assertFalse(os.path.exists(self.path("ran")))


def limit_case(name, number, what):
    class LimitTest(RefusedCase):
        rules = (refuse_limit(number),)

        def test_a_program_without_its_limit_is_not_started(self):
            self.limit(processes=1000, disk_bytes=GIB)
            self.assert_refused(what)
            # The next one may have a supervisor that was forked ahead.
            self.client.silent(0.2)
            self.assert_refused(what)

        def test_a_file_is_not_touched_without_its_limit(self):
            self.limit(processes=1000, disk_bytes=GIB)
            channel = self.client.open("MakeDir", path=self.path("made"))
            self.assertIn(what, self.client.expect(channel, "Failed").message)
            self.assertFalse(os.path.exists(self.path("made")))

    LimitTest.__name__ = LimitTest.__qualname__ = name
    return LimitTest


CoreLimitTest = limit_case("CoreLimitTest", resource.RLIMIT_CORE, "core dumps")
FilesLimitTest = limit_case("FilesLimitTest", resource.RLIMIT_NOFILE, "open files")
StackLimitTest = limit_case("StackLimitTest", resource.RLIMIT_STACK, "the stack")
ProcessLimitTest = limit_case("ProcessLimitTest", resource.RLIMIT_NPROC, "processes")
SizeLimitTest = limit_case("SizeLimitTest", resource.RLIMIT_FSIZE, "file sizes")


class NewLimitTest(RefusedCase):
    # The stack's is set by a start alone, so programs start; new limits for those that run are then refused.
    rules = (refuse_limit(resource.RLIMIT_NPROC),)

    def test_a_running_program_that_cannot_have_its_new_limit_is_ended(self):
        channel = self.client.open("Start", argv=["sleep", "1000"])
        self.client.expect(channel, "Started")
        self.limit(processes=1000)
        self.assertEqual(self.client.finish(channel).exit.signal, 9)
        self.assertIn(b"the limit of processes cannot be set", self.read("log"))


class SubreaperTest(RefusedCase):
    rules = ((PRCTL, {0: SET_SUBREAPER}, errno.EPERM),)

    def test_a_program_that_nobody_could_look_after_is_not_started(self):
        self.assert_refused("cannot be looked after")


class SessionTest(RefusedCase):
    rules = ((SETSID, {}, errno.EPERM),)

    def test_a_program_without_a_session_of_its_own_is_not_started(self):
        self.assert_refused("session")


class PrivilegesTest(RefusedCase):
    extra_config = "allow-root=false\n"
    rules = ((PRCTL, {0: SET_NO_NEW_PRIVS}, errno.EINVAL),)

    def test_a_program_that_keeps_its_way_to_more_rights_is_not_started(self):
        user = {"user": pwd.getpwuid(65534).pw_name} if os.geteuid() == 0 else {}
        self.assert_refused("privileges", **user)


class DumpableTest(unittest.TestCase):
    def test_an_agent_that_others_could_look_into_does_not_start(self):
        ended = subprocess.run([AGENT, "--config", "/dev/null"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                               preexec_fn=refuse((PRCTL, {0: SET_DUMPABLE}, errno.EPERM)))
        self.assertEqual((ended.returncode, ended.stdout), (3, b""))
        self.assertIn(b"cannot be closed to others", ended.stderr)


def blind_case(name, rule, limits, reason, what):
    class BlindTest(RefusedCase):
        rules = (rule,)

        def test_a_program_that_cannot_be_watched_is_ended_with_a_reason(self):
            channel = self.client.open("Start", argv=["sleep", "1000"])
            self.client.expect(channel, "Started")
            self.limit(**limits)
            ended = self.client.finish(channel, 60).exit
            self.assertEqual((ended.signal, ended.reason), (9, reason))
            self.assertIn(f"the use of {what} cannot be read", self.read("log").decode())

    BlindTest.__name__ = BlindTest.__qualname__ = name
    return BlindTest


BlindToMemoryTest = blind_case("BlindToMemoryTest", LOOK_AT_MEMORY, {"memory_bytes": 1 << 50}, MEMORY, "memory")
BlindToDiskTest = blind_case("BlindToDiskTest", (STATFS, {}, errno.EIO), {"disk_bytes": 1 << 60}, DISK, "disk")
BlindToProcessesTest = blind_case("BlindToProcessesTest", (SYSINFO, {}, errno.EPERM), {"processes": 1000}, PROCESSES, "processes")


class BlindStatsTest(RefusedCase):
    rules = (LOOK_AT_MEMORY, (STATFS, {}, errno.EIO))

    def test_what_cannot_be_read_is_shown_as_used_up(self):
        self.limit(memory_bytes=5 * GIB, disk_bytes=7 * GIB)
        self.client.send(0, "GetStats")
        stats = self.client.expect(0, "Stats")
        self.assertEqual((stats.memory_bytes, stats.disk_bytes), (5 * GIB, 7 * GIB))

    def test_a_disk_of_unknown_use_takes_no_file(self):
        self.limit(disk_bytes=7 * GIB)
        channel = self.client.open("WriteFile", path=self.path("file"))
        self.assertIn("disk limit", self.client.expect(channel, "Failed").message)


class DescriptorsTest(RefusedCase):
    """As in kernels without close_range."""
    rules = ((CLOSE_RANGE, {}, errno.ENOSYS),)

    def test_programs_inherit_nothing(self):
        for _ in range(3):
            self.assertEqual(self.client.run("ls", "/proc/self/fd").stdout.split(), [b"0", b"1", b"2", b"3"])
            self.client.silent(0.1)


class InheritedTest(AgentCase):
    extra_config = "start=echo from the start; readlink /proc/$$/fd/2 > {0}/where; (trap '' PIPE; until [ -e {0}/go ]; do sleep 0.05; done; echo later; touch {0}/gone) &\n"

    def prepare(self):
        with open(self.config) as file:
            text = file.read()
        with open(self.config, "w") as file:
            file.write(text.replace("{0}", self.directory))
        self.addCleanup(self.let_go)

    def let_go(self):
        open(self.path("go"), "w").close()
        while not os.path.exists(self.path("gone")):
            self.client.silent(0.05) if self.agent.poll() is None else time.sleep(0.05)

    def test_programs_inherit_nothing(self):
        for _ in range(3):
            self.assertEqual(self.client.run("ls", "/proc/self/fd").stdout.split(), [b"0", b"1", b"2", b"3"])
            self.client.silent(0.1)

    def test_supervisors_hold_neither_the_stream_nor_another_program(self):
        stream = {os.readlink(f"/proc/{self.agent.pid}/fd/{fd}") for fd in (64, 65)}
        for _ in range(3):
            channel = self.client.open("Start", argv=["sleep", "1000"])
            self.client.expect(channel, "Started")
            self.client.silent(0.1)
        children = subprocess.run(["ps", "--ppid", str(self.agent.pid), "-o", "pid="], capture_output=True, text=True).stdout.split()
        self.assertGreaterEqual(len(children), 3)
        for child in children:
            held = {os.readlink(f"/proc/{child}/fd/{fd}") for fd in os.listdir(f"/proc/{child}/fd")}
            self.assertFalse(held & stream, child)

    def test_what_the_start_leaves_behind_has_a_pipe_and_not_the_log(self):
        self.assertTrue(self.read("where").startswith(b"pipe:"), self.read("where"))
        self.assertIn(b"from the start", self.read("log"))
        self.let_go()
        # The agent has read it once it has answered what was asked behind it.
        self.client.run("true")
        self.assertNotIn(b"later", self.read("log"))


if __name__ == "__main__":
    unittest.main()
