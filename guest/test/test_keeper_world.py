"""The keeper and its machine: who they are on the host, what they see of it, and how much they may write."""
import os
import signal
import sys
import unittest

from keeper_client import wait_for_end
from test_keeper import ECHO, KeeperCase

BASE = 0x7FFD0000
SYSTEM = ["--bind-ro", "/usr", "/usr", "--link", "usr/bin", "/bin", "--link", "usr/lib", "/lib", "--link", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev"]
PYTHON = os.path.realpath(sys.executable)
if not PYTHON.startswith("/usr/"):
    SYSTEM += ["--bind-ro", sys.base_prefix, sys.base_prefix]


def status(pid):
    with open(f"/proc/{pid}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def processes():
    """Processes of the host with ids of the test's range."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and BASE <= int(status(name)["Uid"].split("\t")[0]) < BASE + 65536:
                found.append(name)
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


class LogTest(KeeperCase):
    def test_flood_is_kept_within_bounds(self):
        script = "import os, sys\nfor i in range(20000): os.write(2, b'%07d' % i + b'x' * 992 + b'\\n')\nos.write(2, b'flooded\\n')\n" + ECHO
        self.keep(sys.executable, "-c", script, self.path("count"))
        client = self.connect()
        client.say(b"alive")
        self.assertEqual(client.next(0), b"alive")
        self.assertLessEqual(os.path.getsize(self.path("log")), 1 << 20)
        self.assertTrue(self.read("log").startswith((b"0000000x", b"\n[")))

    def test_what_is_left_out_is_counted(self):
        script = "import os, time\nfor i in range(3000): os.write(2, b'x' * 999 + b'\\n')\ntime.sleep(1.2)\nos.write(2, b'last\\n')\n" + ECHO
        self.keep(sys.executable, "-c", script, self.path("count"))
        self.wait_until(lambda: self.read("log").endswith(b"last\n"))
        log = self.read("log")
        left_out = [int(line[1:].split()[0]) for line in log.split(b"\n") if line.endswith(b" bytes left out]")]
        lines = sum(len(b"\n[%d bytes left out]\n" % number) for number in left_out)
        self.assertEqual(len(log) - lines + sum(left_out), 3000 * 1000 + 5)

    def test_file_is_the_same_all_the_time(self):
        # Whoever follows it does not lose it.
        self.keep(sys.executable, "-c", "import os\nfor i in range(3000): os.write(2, b'x' * 1000)\n" + ECHO, self.path("count"))
        before = os.stat(self.path("log")).st_ino
        client = self.connect()
        client.say(b"alive")
        client.next(0)
        self.assertEqual(os.stat(self.path("log")).st_ino, before)


class SealTest(KeeperCase):
    def test_keeper_can_only_carry_bytes(self):
        self.keep_echo()
        about = status(int(self.read("pid")))
        self.assertEqual((about["NoNewPrivs"], about["Seccomp"]), ("1", "2"))

    def test_log_and_exit_file_that_are_links_are_refused(self):
        for name in ("log", "exit", "pid"):
            for other in ("log", "exit", "pid"):
                if os.path.lexists(self.path(other)):
                    os.unlink(self.path(other))
            os.symlink(self.path("elsewhere"), self.path(name))
            self.assertEqual(self.keep("cat").returncode, 1)
        self.assertFalse(os.path.exists(self.path("elsewhere")))


@unittest.skipUnless(os.geteuid() == 0, "a world is made by root of the host")
class WorldTest(KeeperCase):
    def prepare(self):
        # The keeper of the test before was told to end.
        self.wait_until(lambda: not processes())

    def keep_world(self, *command, options=()):
        os.makedirs(self.path("own"), exist_ok=True)
        os.chown(self.path("own"), BASE, BASE)
        return self.keep(*command, options=("--uid-base", str(BASE), "--keeper-root", "/keeper", "--empty", "/keeper", *SYSTEM, "--bind", self.path("own"), "/own", *options))

    def keep_echo_world(self):
        result = self.keep_world(PYTHON, "-c", ECHO, "/own/count")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_keeper_is_nobody_with_nothing_in_sight(self):
        self.keep_echo_world()
        pid = int(self.read("pid"))
        about = status(pid)
        self.assertEqual((about["Uid"], about["Gid"], about["Groups"].strip()), ("\t".join([str(BASE + 65535)] * 4), "\t".join([str(BASE + 65535)] * 4), ""))
        self.assertEqual((about["CapPrm"], about["CapEff"], about["CapAmb"], about["NoNewPrivs"], about["Seccomp"]), ("0" * 16, "0" * 16, "0" * 16, "1", "2"))
        self.assertEqual((os.listdir(f"/proc/{pid}/root"), os.listdir(f"/proc/{pid}/cwd")), ([], []))
        opened = {os.readlink(f"/proc/{pid}/fd/{name}").split(":")[0] for name in os.listdir(f"/proc/{pid}/fd")}
        self.assertEqual(opened, {"/dev/null", "pipe", "socket", "anon_inode", self.path("log"), self.path("exit")})

    def test_frames_and_the_end_come_through(self):
        self.keep_echo_world()
        client = self.connect()
        client.say(b"hello")
        self.assertEqual(client.next(0), b"hello")
        client.say(b"exit")
        self.assertEqual(client.end(), 3 << 8)
        self.assertEqual(wait_for_end(self.path("exit")), 3 << 8)
        client.close_socket()
        self.wait_until(lambda: not processes())

    def test_machine_is_nobody_in_its_own_namespaces(self):
        self.keep_echo_world()
        client = self.connect()
        client.say(b"x")
        client.next(0)
        machine = [pid for pid in processes() if pid != str(int(self.read("pid")))]
        self.assertEqual(len(machine), 2)
        for pid in machine:
            about = status(pid)
            self.assertEqual((about["Uid"], about["NoNewPrivs"]), ("\t".join([str(BASE)] * 4), "1"))
            for name in ("user", "mnt", "pid", "ipc", "uts", "cgroup", "net"):
                self.assertNotEqual(os.readlink(f"/proc/{pid}/ns/{name}"), os.readlink(f"/proc/self/ns/{name}"))
            seen = set(os.listdir(f"/proc/{pid}/root"))
            self.assertEqual(seen - {sys.base_prefix.split("/")[1]}, {"bin", "dev", "keeper", "lib", "lib64", "own", "proc", "usr"} - {sys.base_prefix.split("/")[1]})

    def test_begins_in_the_world(self):
        program = f"{PYTHON} -c '{ECHO}' /own/count <&3 & echo $! > /own/machine; exit 0"
        result = self.keep_world("/usr/bin/sh", "-c", "exec 3<&0; " + program, options=("--machine-pid", "/own/machine"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        client = self.connect()
        words = b"/usr/bin/sh\0-c\0id -u > /own/begun; echo said >&2\0"
        client.socket.sendall(b"B" + len(words).to_bytes(4, "big") + words)
        self.wait_until(lambda: self.read("own/begun") == b"0\n" and self.read("log") == b"said\n")
        self.assertEqual(os.stat(self.path("own/begun")).st_uid, BASE)
        client.say(b"alive")
        self.assertEqual(client.next(0), b"alive")

    def test_memory_of_the_host_can_be_replaced(self):
        with open(self.path("meminfo"), "w") as out:
            out.write("MemTotal: 42 kB\n")
        self.keep_world("/usr/bin/sh", "-c", "cat /proc/meminfo >&2", options=("--bind-ro", self.path("meminfo"), "/proc/meminfo"))
        wait_for_end(self.path("exit"))
        self.wait_until(lambda: self.read("log") == b"MemTotal: 42 kB\n")

    def test_everything_ends_with_the_keeper(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.keep_echo_world()
            self.assertEqual(len(processes()), 3)
            os.kill(int(self.read("pid")), number)
            self.wait_until(lambda: not processes())

    def test_step_that_fails_is_said(self):
        result = self.keep_world("/usr/bin/true", options=("--mapped", "/proc/sys", "/x"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("idmapped", result.stderr)
        result = self.keep_world("/no/such/program")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/no/such/program: No such file", result.stderr)
        result = self.keep("/usr/bin/true", options=("--uid-base", str(BASE)))
        self.assertEqual(result.returncode, 64)
        self.wait_until(lambda: not processes())
        self.assertFalse(os.path.exists(self.socket))


if __name__ == "__main__":
    unittest.main()
