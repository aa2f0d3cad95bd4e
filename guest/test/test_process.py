"""Start: programs, their input and output, and their end."""
import os
import signal
import struct
import time
import unittest

from agent_case import USER, AgentCase


class ProcessTest(AgentCase):
    extra_config = ""

    def test_hello_names_generation_and_features(self):
        self.assertEqual(self.hello.generation, 3)
        self.assertEqual(self.hello.features, ["python", "pty", "watch", "dial"])

    def test_output_and_exit_code_are_told(self):
        outcome = self.client.run("sh", "-c", "echo out; echo err >&2; exit 3")
        self.assertEqual((outcome.stdout, outcome.stderr, outcome.exit.code, outcome.exit.signal), (b"out\n", b"err\n", 3, 0))
        self.assertGreater(outcome.exit.max_rss_bytes, 0)

    def test_death_by_signal_is_told(self):
        outcome = self.client.run("sh", "-c", "kill -TERM $$")
        self.assertEqual((outcome.exit.code, outcome.exit.signal), (-1, signal.SIGTERM))

    def test_stdin_is_passed_on_and_ends(self):
        self.assertEqual(self.client.run("cat", stdin=b"hello").stdout, b"hello")
        self.assertEqual(self.client.run("cat").stdout, b"")

    def test_much_stdin_flows_with_credit(self):
        client = self.client
        channel = client.open("Start", argv=["sh", "-c", "sleep 0.2; md5sum; cat"], stdin=1)
        client.expect(channel, "Started")
        sent, limit, piece = 0, 262144, os.urandom(30000)
        for _ in range(100):
            while sent + 30100 > limit:
                limit = max(limit, client.expect(channel, "Credit").limit)
            client.send(channel, "Data", stream=1, bytes=piece)
            sent += 30100
        client.send(channel, "Eof", stream=1)
        import hashlib
        self.assertEqual(client.finish(channel).stdout.split()[0].decode(), hashlib.md5(piece * 100).hexdigest())

    def test_more_stdin_than_granted_is_a_protocol_error(self):
        channel = self.client.open("Start", argv=["sleep", "5"], stdin=1)
        with self.assertRaises((EOFError, BrokenPipeError)):
            for _ in range(20):
                self.client.send(channel, "Data", stream=1, bytes=bytes(60000))
            self.client.until(channel, ("never",), 5)
        self.assertEqual(self.agent.wait(5), 2)

    def test_environment_has_base_and_given_variables(self):
        lines = self.client.run("env", env=[{"name": "A", "value": "b=c"}, {"name": "BAD=NAME", "value": "x"}]).stdout.decode().split("\n")
        self.assertIn("A=b=c", lines)
        self.assertIn("BASE=base", lines)
        self.assertIn("LANG=C.UTF-8", lines)
        self.assertIn("USER=" + USER, lines)
        self.assertFalse([line for line in lines if line.startswith("BAD")])

    def test_what_cannot_be_started_says_why(self):
        client = self.client
        self.assertEqual(client.failed(client.open("Start", argv=["no-such-program"])), "NOT_FOUND")
        self.assertEqual(client.failed(client.open("Start", argv=["/etc/passwd"])), "NOT_EXECUTABLE")
        self.assertEqual(client.failed(client.open("Start", argv=["true"], user="nosuchuser")), "NO_SUCH_USER")
        self.assertEqual(client.failed(client.open("Start", argv=["true"], cwd="/no/such")), "NOT_FOUND")
        self.assertEqual(client.failed(client.open("Start", argv=["true"], cwd="/etc/passwd")), "NOT_A_DIRECTORY")
        self.assertEqual(client.failed(client.open("Start", argv=[])), "INVALID")
        self.assertEqual(client.run("pwd", cwd="/usr").stdout, b"/usr\n")

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_another_user_has_no_way_back(self):
        outcome = self.client.run("sh", "-c", "id -un; id -ru; grep -E 'CapEff|CapPrm' /proc/self/status", user="nobody", cwd="/")
        self.assertEqual(outcome.stdout.split(), [b"nobody", b"65534", b"CapPrm:", b"0000000000000000", b"CapEff:", b"0000000000000000"])

    def test_descriptors_of_the_agent_do_not_leak(self):
        self.client.open("Start", argv=["sleep", "5"], stdin=1)
        self.assertEqual(self.client.run("ls", "/proc/self/fd").stdout.split(), [b"0", b"1", b"2", b"3"])

    def test_unread_output_waits_in_the_guest(self):
        client = self.client
        client.auto_credit = False
        channel = client.open("Start", argv=["sh", "-c", "yes | head -c 2000000; echo done > " + self.path("done")])
        client.expect(channel, "Started")
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            client.pump(0.1)
        self.assertLessEqual(client.received[channel], 262144)
        self.assertGreater(client.received[channel], 200000)
        self.assertFalse(os.path.exists(self.path("done")))
        # Others are not held back.
        self.assertEqual(client.run("echo", "hi").stdout, b"hi\n")
        client.send(channel, "Credit", limit=10_000_000)
        outcome = client.finish(channel)
        self.assertEqual(len(outcome.stdout), 2000000)

    def test_offsets_run_through_both_streams(self):
        client = self.client
        channel = client.open("Start", argv=["sh", "-c", "for i in 1 2 3; do echo $i; sleep 0.02; echo e$i >&2; sleep 0.02; done"])
        data = [frame for frame in client.until(channel, ("Exit",)) if frame.name == "Data"]
        at = 0
        for frame in data:
            self.assertEqual(frame.offset, at)
            at += len(frame.bytes)
        self.assertEqual(at, 15)

    def test_exit_does_not_wait_for_background_children(self):
        client = self.client
        began = time.monotonic()
        outcome = client.run("sh", "-c", "echo before; (sleep 1; echo late; touch %s) & echo after" % self.path("late"))
        self.assertLess(time.monotonic() - began, 0.9)
        self.assertEqual(outcome.stdout, b"before\nafter\n")
        client.close(outcome.channel)
        time.sleep(1.3)
        self.assertTrue(os.path.exists(self.path("late")), "Close after Exit must leave daemons alone")

    def test_tree_signal_reaches_detached_processes(self):
        client = self.client
        script = "setsid sh -c 'echo $$ > %s; setsid sleep 60 & wait' & sleep 60" % self.path("pid")
        channel = client.open("Start", argv=["sh", "-c", script])
        client.expect(channel, "Started")
        pid = self.wait_for_pid("pid")
        client.send(channel, "Signal", number=9, tree=1)
        self.assertEqual(client.finish(channel).exit.signal, 9)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_close_kills_everything_and_says_when(self):
        client = self.client
        channel = client.open("Start", argv=["sh", "-c", "trap '' TERM; (setsid sh -c 'echo $$ > %s; sleep 60') & sleep 60" % self.path("pid")])
        client.expect(channel, "Started")
        pid = self.wait_for_pid("pid")
        client.close(channel)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))
        client.send(0, "GetChannels")
        self.assertEqual(client.expect(0, "Channels").channels, [])

    def wait_for_pid(self, name):
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            text = self.read(name)
            if text.strip():
                return int(text)
            time.sleep(0.01)
        self.fail("no pid")

    def test_signal_goes_to_the_process(self):
        client = self.client
        channel = client.open("Start", argv=["sh", "-c", "trap 'echo got; exit 4' USR1; while :; do sleep 0.05; done"])
        client.expect(channel, "Started")
        time.sleep(0.2)
        client.send(channel, "Signal", number=signal.SIGUSR1)
        outcome = client.finish(channel)
        self.assertEqual((outcome.stdout, outcome.exit.code), (b"got\n", 4))

    def test_terminal_has_size_and_echo(self):
        client = self.client
        channel = client.open("Start", argv=["sh", "-c", "tty >/dev/null && stty size; read x; stty size; echo got $x; ps -o tty= -p $$"], pty={"rows": 30, "columns": 100})
        client.expect(channel, "Started")
        frame = client.expect(channel, "Data")
        self.assertEqual((frame.stream, frame.bytes), (4, b"30 100\r\n"))
        client.send(channel, "Resize", rows=40, columns=120)
        client.send(channel, "Data", stream=1, bytes=b"word\n")
        outcome = client.finish(channel)
        self.assertIn(b"40 120\r\ngot word\r\n", outcome.bytes)

    def test_interrupt_character_reaches_the_foreground_group(self):
        client = self.client
        # Not a shell: dash that is interrupted just before it starts a program waits for the program first.
        channel = client.open("Start", argv=["cat"], pty={"rows": 24, "columns": 80})
        client.expect(channel, "Started")
        client.send(channel, "Data", stream=4, bytes=b"ready\n")
        seen = b""
        while seen.count(b"ready") < 2:
            seen += client.expect(channel, "Data").bytes
        client.send(channel, "Data", stream=4, bytes=b"\x03")
        self.assertEqual(client.finish(channel).exit.signal, 2)

    def test_channels_are_listed_with_their_end(self):
        client = self.client
        outcome = client.run("sh", "-c", "echo x; exit 7", tag="the tag")
        client.send(0, "GetChannels")
        info = client.expect(0, "Channels").channels[0]
        self.assertEqual((info["channel"], info["kind"], info["tag"], info["exit"]["code"], info["offset"]), (outcome.channel, 1, "the tag", 7, 2))
        client.close(outcome.channel)

    def test_a_host_that_has_just_come_counts_from_what_is_open(self):
        client = self.client
        kept = client.open("Start", argv=["cat"], stdin=True)
        client.expect(kept, "Started")
        client.close(client.run("true").channel)
        client.send(0, "GetChannels")
        self.assertEqual([info["channel"] for info in client.expect(0, "Channels").channels], [kept])
        client.last = kept
        self.assertEqual(client.run("echo", "again").stdout, b"again\n")

    def test_ping_and_stats_answer(self):
        self.client.send(0, "Ping", nonce=77)
        self.assertEqual(self.client.expect(0, "Pong").nonce, 77)
        self.client.send(0, "GetStats")
        self.assertGreater(self.client.expect(0, "Stats").memory_bytes, 0)

    def test_too_many_channels_are_refused(self):
        client = self.client
        for _ in range(1024):
            client.open("Start", argv=["true"])
        client.last += 1
        client.send(client.last, "Start", argv=["true"])
        self.assertEqual(client.failed(client.last), "TOO_MANY")

    def test_frames_for_a_gone_channel_are_ignored(self):
        client = self.client
        outcome = client.run("true")
        client.close(outcome.channel)
        for name, fields in (("Credit", {"limit": 1 << 30}), ("Close", {}), ("Signal", {"number": 9}), ("Data", {"stream": 1, "bytes": b"x"}), ("Eof", {"stream": 1}), ("Interrupt", {})):
            client.send(outcome.channel, name, **fields)
        self.assertEqual(client.run("echo", "fine").stdout, b"fine\n")

    def test_quiesce_silences_the_guest_until_thaw(self):
        client = self.client
        channel = client.open("Start", argv=["sh", "-c", "for i in 1 2 3 4 5; do echo $i; sleep 0.1; done"])
        client.expect(channel, "Started")
        client.send(0, "Quiesce")
        client.expect(0, "Quiesced")
        self.assertTrue(client.silent(0.8))
        client.send(0, "Thaw")
        client.expect(0, "Thawed")
        self.assertEqual(client.finish(channel).stdout, b"1\n2\n3\n4\n5\n")


class HostileHostTest(AgentCase):
    extra_config = ""

    def assert_ends(self, *frames, raw=None):
        if raw is not None:
            self.client.send_raw(raw)
        for channel, name, fields in frames:
            self.client.send(channel, name, **fields)
        self.assertEqual(self.agent.wait(5), 2)

    def test_oversized_frame(self):
        self.assert_ends(raw=struct.pack(">I", 65537))

    def test_garbage(self):
        self.assert_ends(raw=struct.pack(">I", 5) + b"\xff\xff\xff\xff\xff")

    def test_empty_frame(self):
        self.assert_ends(raw=struct.pack(">I", 0))

    def test_channel_id_that_does_not_grow(self):
        self.assert_ends((5, "Start", {"argv": ["true"]}), (5, "Start", {"argv": ["true"]}))

    def test_guest_message_from_the_host(self):
        self.assert_ends((0, "Hello", {"generation": 1}))

    def test_speech_while_quiesced(self):
        self.assert_ends((0, "Quiesce", {}), (0, "Ping", {"nonce": 1}))


if __name__ == "__main__":
    unittest.main()
