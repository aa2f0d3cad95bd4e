"""The keeper: the stream outlives the server."""
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

from agent_case import AGENT, KEEPER, AgentCase
from client import Context
from keeper_client import KeeperClient, wait_for_end

# A command that speaks frames whose payload is any bytes: it answers each with the same.
ECHO = r"""
import os, struct, sys
count = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
def read(n):
    data = b""
    while len(data) < n:
        piece = os.read(0, n - len(data))
        if not piece: sys.exit(5)
        data += piece
    return data
while True:
    size = struct.unpack(">I", read(4))[0]
    data = read(size)
    if data == b"big": os.write(1, struct.pack(">I", 65537))
    elif data.startswith(b"flood"):
        for i in range(int(data[5:])):
            out = struct.pack(">I", 1000) + struct.pack(">I", i) * 250
            while out: out = out[os.write(1, out):]
            os.pwrite(count, b"%08d" % i, 0)
    elif data == b"exit": sys.exit(3)
    else:
        out = struct.pack(">I", size) + data
        while out: out = out[os.write(1, out):]
"""


class RawClient(KeeperClient):
    def take(self, payload):
        self.queues[0].append(payload)

    def end(self):
        while self.status is None:
            if not self.pump(5):
                raise TimeoutError("the end was not told")
        return self.status

    def say(self, payload):
        self.send_raw(struct.pack(">I", len(payload)) + payload)


class KeeperCase(AgentCase):
    extra_config = ""

    def start_agent(self):
        pass

    def keep(self, *command, options=()):
        self.socket = self.path("s")
        result = subprocess.run([KEEPER, "--socket", self.socket, "--exit-file", self.path("exit"), "--log", self.path("log"), "--pid-file", self.path("pid"),
                                 *options, "--", *command], capture_output=True, text=True, timeout=10)
        self.addCleanup(self.end_keeper)
        return result

    def end_keeper(self):
        try:
            os.kill(int(self.read("pid")), signal.SIGTERM)
        except (ProcessLookupError, ValueError):
            pass

    def keep_echo(self):
        result = self.keep(sys.executable, "-c", ECHO, self.path("count"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def connect(self, kind=RawClient):
        client = kind(self.socket)
        self.addCleanup(client.close_socket)
        return client

    def nobody_listens(self):
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(self.socket)
            except (ConnectionRefusedError, FileNotFoundError):
                return True
        return False

    def wait_until(self, condition, seconds=10):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)


class KeeperTest(KeeperCase):
    def test_frames_go_both_ways_in_order(self):
        self.keep_echo()
        client = self.connect()
        payloads = [os.urandom(n) for n in (0, 1, 65536, 100, 65535)] * 5
        for payload in payloads:
            client.say(payload)
        self.assertEqual([client.next(0) for _ in payloads], payloads)
        self.assertEqual((client.first, client.next_new), (0, 0))
        self.assertIn("python", os.readlink(f"/proc/{client.pid}/exe"))

    def test_new_server_gets_what_is_retained(self):
        self.keep_echo()
        first = self.connect()
        for i in range(5):
            first.say(b"%d" % i)
            first.next(0)
        first.close_socket()
        second = self.connect()
        self.assertEqual([second.next(0) for _ in range(5)], [b"0", b"1", b"2", b"3", b"4"])
        self.assertEqual((second.first, second.next_new), (0, 5))

    def test_new_connection_replaces_the_old_one(self):
        self.keep_echo()
        first = self.connect()
        first.say(b"x")
        first.next(0)
        second = self.connect()
        second.next(0)
        with self.assertRaises((EOFError, ConnectionError)):
            first.pump(5)
            first.pump(5)
        second.say(b"y")
        self.assertEqual(second.next(0), b"y")

    def test_half_a_record_of_a_dead_server_is_dropped(self):
        self.keep_echo()
        for cut in (1, 4, 5, 50):
            client = self.connect()
            client.socket.sendall((b"F" + struct.pack(">I", 100) + b"z" * 100)[:cut])
            client.close_socket()
        client = self.connect()
        client.say(b"whole")
        self.assertEqual(client.next(0), b"whole")

    def test_old_frames_go_but_unseen_ones_never(self):
        self.keep_echo()
        client = self.connect()
        client.say(b"flood3000")
        numbers = [struct.unpack(">I", client.next(0)[:4])[0] for _ in range(3000)]
        self.assertEqual(numbers, list(range(3000)))
        client.close_socket()
        again = self.connect()
        again.pump(5)
        self.assertEqual(again.next_new, 3000)
        self.assertEqual(struct.unpack(">I", again.next(0)[:4])[0], again.first)
        self.assertGreater(again.first, 1900)
        self.assertLess(again.first, 2100)

    def test_guest_waits_while_nobody_listens(self):
        self.keep_echo()
        client = self.connect()
        client.say(b"flood20000")
        client.next(0)
        client.close_socket()
        before = None
        while before != self.read("count"):
            before = self.read("count")
            time.sleep(0.5)
        self.assertLess(int(before), 5000)
        again = self.connect()
        numbers = [struct.unpack(">I", again.next(0)[:4])[0] for _ in range(20000 - again_first(again))]
        self.assertEqual(numbers, list(range(numbers[0], 20000)))
        # What came with the first frame is the client's too.
        self.assertLessEqual(numbers[0], client.count)

    def test_server_killed_again_and_again_loses_nothing(self):
        self.keep_echo()
        client = self.connect()
        client.say(b"flood6000")
        next_wanted = 0
        while next_wanted < 6000:
            payload = None
            for _ in range(1500):
                payload = client.next(0)
                number = struct.unpack(">I", payload[:4])[0]
                self.assertLessEqual(number, next_wanted)
                next_wanted = max(next_wanted, number + 1)
                if next_wanted == 6000:
                    break
            # Closing with unread bytes is what a killed server does.
            client.close_socket()
            client = self.connect()

    def test_end_is_told_last_and_written(self):
        self.keep_echo()
        client = self.connect()
        client.say(b"a")
        client.say(b"exit")
        self.assertEqual(client.next(0), b"a")
        self.assertEqual(client.end(), 3 << 8)
        self.assertEqual(wait_for_end(self.path("exit")), 3 << 8)
        client.close_socket()
        self.wait_until(self.nobody_listens)

    def test_end_is_told_to_a_server_that_comes_later(self):
        self.keep_echo()
        client = self.connect()
        client.say(b"a")
        client.say(b"exit")
        client.close_socket()
        wait_for_end(self.path("exit"))
        later = self.connect()
        self.assertEqual(later.next(0), b"a")
        self.assertEqual(later.end(), 3 << 8)

    def test_oversized_frame_ends_the_command(self):
        self.keep_echo()
        self.connect().say(b"big")
        self.assertEqual(wait_for_end(self.path("exit")), 9)

    def test_broken_record_ends_the_connection_only(self):
        self.keep_echo()
        for bad in (b"Z\0\0\0\0", b"F\xff\xff\xff\xff", b"H\0\0\0\1x"):
            client = self.connect()
            client.socket.sendall(bad)
            with self.assertRaises((EOFError, ConnectionError)):
                while True:
                    client.pump(5)
        client = self.connect()
        client.say(b"still here")
        self.assertEqual(client.next(0), b"still here")

    def test_terminating_the_keeper_ends_everything(self):
        self.keep_echo()
        client = self.connect()
        client.say(b"x")
        client.next(0)
        os.kill(int(self.read("pid")), signal.SIGTERM)
        self.assertEqual(wait_for_end(self.path("exit")), 9)
        self.wait_until(self.nobody_listens)
        self.assertFalse(os.path.exists(f"/proc/{client.pid}"))

    def test_what_cannot_be_started_is_said(self):
        result = self.keep("/no/such/program")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/no/such/program", result.stderr)
        self.assertFalse(os.path.exists(self.socket))
        self.assertEqual(self.keep("true", options=("--cgroup", "/no/such/cgroup")).returncode, 1)
        self.assertNotEqual(subprocess.run([KEEPER, "--nonsense"], capture_output=True).returncode, 0)

    def test_command_joins_groups_of_both_versions(self):
        for version in (1, 2):
            group = self.path(f"group{version}")
            os.mkdir(group)
            for name in ("tasks", "cgroup.procs")[version - 1:]:
                open(os.path.join(group, name), "w").close()
        self.keep("cat", options=("--cgroup", self.path("group1"), "--cgroup", self.path("group2")))
        written = [open(self.path(file)).read() for file in ("group1/tasks", "group1/cgroup.procs", "group2/cgroup.procs")]
        self.assertEqual(written, ["0", "", "0"])

    def test_socket_is_private_and_path_may_be_long(self):
        deep = self.directory
        for _ in range(4):
            deep = os.path.join(deep, "d" * 40)
        os.makedirs(deep)
        self.directory = deep
        self.keep_echo()
        self.assertEqual(os.stat(self.path("s")).st_mode & 0o777, 0o600)
        os.chdir(deep)
        self.addCleanup(os.chdir, "/")
        self.socket = "s"
        client = self.connect()
        client.say(b"x")
        self.assertEqual(client.next(0), b"x")

    def test_inherited_descriptors_are_closed(self):
        pipe = os.pipe()
        os.set_inheritable(pipe[1], True)
        self.socket = self.path("s")
        subprocess.run([KEEPER, "--socket", self.socket, "--exit-file", self.path("exit"), "--log", self.path("log"), "--pid-file", self.path("pid"), "--", "sleep", "60"],
                       close_fds=False, check=True)
        self.addCleanup(self.end_keeper)
        os.close(pipe[1])
        self.assertEqual(os.read(pipe[0], 1), b"")
        os.close(pipe[0])


class MachineMadeAheadTest(KeeperCase):
    """A command makes the machine and ends; a record brings it to life."""

    def make(self, then="exit 0"):
        # The machine is an orphan: the shell that started it ends.
        program = f"{sys.executable} -c '{ECHO}' {self.path('count')} <&3 & echo $! > {self.path('machine')}; {then}"
        return self.keep("sh", "-c", "exec 3<&0; " + program, options=("--machine-pid", self.path("machine")))

    def begin(self, client, *command):
        text = b"".join(word.encode() + b"\0" for word in command)
        client.socket.sendall(b"B" + struct.pack(">I", len(text)) + text)

    def test_machine_lives_on_and_its_end_is_seen(self):
        self.assertEqual(self.make().returncode, 0)
        client = self.connect()
        self.begin(client, "sh", "-c", "echo alive > " + self.path("begun"))
        self.wait_until(lambda: os.path.exists(self.path("begun")))
        client.say(b"hello")
        self.assertEqual(client.next(0), b"hello")
        self.assertEqual(client.pid, int(self.read("machine")))
        client.say(b"exit")
        self.assertEqual(os.waitstatus_to_exitcode(client.end()), 3)

    def test_machine_dies_when_it_cannot_begin(self):
        self.make()
        client = self.connect()
        self.begin(client, "sh", "-c", "echo no such image >&2; exit 7")
        self.assertEqual(client.end(), signal.SIGKILL)
        self.assertIn(b"no such image", self.read("log"))

    def test_program_that_is_missing_is_an_end_too(self):
        self.make()
        client = self.connect()
        self.begin(client, "/no/such/program")
        self.assertEqual(client.end(), signal.SIGKILL)
        self.assertIn(b"/no/such/program", self.read("log"))

    def test_it_begins_only_once_and_only_when_made(self):
        self.make()
        client = self.connect()
        self.begin(client, "true")
        self.begin(client, "true")
        with self.assertRaises((EOFError, ConnectionError)):
            client.end()
        self.end_keeper()
        self.wait_until(self.nobody_listens)
        self.keep_echo()
        client = self.connect()
        self.begin(client, "true")
        with self.assertRaises((EOFError, ConnectionError)):
            client.end()

    def test_command_that_makes_nothing_is_said(self):
        result = self.make(then="exit 1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("wait status", result.stderr)
        os.kill(int(self.read("machine")), signal.SIGKILL)
        result = self.keep("true", options=("--machine-pid", self.path("none")))
        self.assertEqual(result.returncode, 1)
        self.assertIn("no process id", result.stderr)

    def test_terminating_the_keeper_ends_the_machine(self):
        self.make()
        self.end_keeper()
        self.assertEqual(wait_for_end(self.path("exit")), signal.SIGKILL)
        self.assertFalse(os.path.exists(f"/proc/{int(self.read('machine'))}"))


def again_first(client):
    while client.first is None:
        client.pump(5)
    return client.first


class AgentBehindKeeperTest(KeeperCase):
    extra_config = "spare=python\n"

    def test_execution_goes_on_while_the_server_is_away(self):
        result = self.keep(AGENT, "--config", self.config)
        self.assertEqual(result.returncode, 0, result.stderr)
        first = self.connect(KeeperClient)
        first.expect(0, "Hello", 30)
        context = first.context()
        context.begin("import time\nfor i in range(10):\n    print(i)\n    time.sleep(0.05)\n'end'")
        first.expect(context.channel, "Data")
        first.close_socket()
        time.sleep(0.3)
        second = self.connect(KeeperClient)
        second.expect(0, "Hello")
        second.until(context.channel, ("Started",))
        cell = Context(second, context.channel).end()
        self.assertEqual((cell.text, cell.stdout), ("'end'", "".join(f"{i}\n" for i in range(10))))


if __name__ == "__main__":
    unittest.main()
