"""Start with Bounds: a run by itself, counted and ended as a whole."""
import os
import signal
import time
import unittest

from agent_case import AgentCase

MEMORY, TIME = 1, 4
MIB = 1 << 20


@unittest.skipUnless(os.geteuid() == 0, "namespaces need root")
class BoundedTest(AgentCase):
    extra_config = ""

    def bounded(self, script, stdin=None, **bounds):
        bounds.setdefault("wall_micros", 60_000_000)
        return self.client.run("sh", "-c", script, stdin=stdin, bounds=bounds, timeout=60)

    def test_output_input_and_exit_code_are_as_ever(self):
        outcome = self.bounded("cat; echo err >&2; exit 3", stdin=b"in")
        self.assertEqual((outcome.stdout, outcome.stderr, outcome.exit.code, outcome.exit.reason), (b"in", b"err\n", 3, 0))
        self.assertGreater(outcome.exit.wall_micros, 0)

    def test_death_by_signal_is_told(self):
        for name in ("TERM", "KILL", "ABRT"):
            outcome = self.bounded(f"kill -{name} $$")
            self.assertEqual((outcome.exit.code, outcome.exit.signal, outcome.exit.reason), (-1, getattr(signal, "SIG" + name), 0))

    def test_it_sees_no_other_process(self):
        self.client.open("Start", argv=["sleep", "7171"])
        processes = self.bounded("ps -e -o args=").stdout.decode()
        self.assertNotIn("sleep", processes)
        self.assertIn("ps -e", processes)

    def test_nobody_outlives_it(self):
        started = time.monotonic()
        self.bounded("setsid nohup sh -c 'while :; do echo x >> %s; sleep 0.02; done' >/dev/null 2>&1 & sleep 0.3" % self.path("alive"))
        size = len(self.read("alive"))
        time.sleep(0.3)
        self.assertGreater(size, 0)
        self.assertEqual(len(self.read("alive")), size)
        self.assertLess(time.monotonic() - started, 60)

    def test_processor_time_of_all_is_bounded(self):
        outcome = self.bounded("for i in 1 2; do (while :; do :; done) & done; wait", cpu_micros=300_000)
        self.assertEqual((outcome.exit.reason, outcome.exit.signal), (TIME, signal.SIGKILL))
        self.assertGreater(outcome.exit.cpu_micros, 300_000)

    def test_time_is_bounded(self):
        outcome = self.bounded("sleep 50", wall_micros=200_000)
        self.assertEqual(outcome.exit.reason, TIME)
        self.assertGreater(outcome.exit.wall_micros, 200_000)

    def test_memory_of_all_is_bounded(self):
        hog = "python3 -c 'import time; b = b\"x\" * (60 << 20); time.sleep(50)'"
        self.assertEqual(self.bounded(f"{hog} & {hog}; wait", memory_bytes=100 * MIB).exit.reason, MEMORY)
        outcome = self.bounded("python3 -c 'b = b\"x\" * (60 << 20)'", memory_bytes=100 * MIB)
        self.assertEqual((outcome.exit.reason, outcome.exit.code), (0, 0))
        self.assertGreater(outcome.exit.max_rss_bytes, 60 * MIB)

    def test_what_was_over_between_two_looks_counts(self):
        outcome = self.bounded("python3 -c 'b = b\"x\" * (60 << 20)'", memory_bytes=30 * MIB)
        self.assertEqual(outcome.exit.reason, MEMORY)

    def test_close_ends_it(self):
        channel = self.client.open("Start", argv=["sh", "-c", "(setsid sleep 7272 &); sleep 7272"], bounds={"wall_micros": 60_000_000})
        self.client.expect(channel, "Started")
        self.client.close(channel)
        self.assertNotIn("sleep 7272", self.client.run("ps", "-e", "-o", "args=").stdout.decode())

    def test_a_terminal_is_refused(self):
        channel = self.client.open("Start", argv=["true"], bounds={"wall_micros": 1}, pty={"rows": 30, "columns": 100})
        self.assertEqual(self.client.failed(channel), "INVALID")

    def test_what_cannot_be_started_says_why(self):
        channel = self.client.open("Start", argv=["no-such-program"], bounds={"wall_micros": 60_000_000})
        self.assertEqual(self.client.failed(channel), "NOT_FOUND")


if __name__ == "__main__":
    unittest.main()
