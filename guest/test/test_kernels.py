"""The contract of all kernels, and what is special to some. The sessions of JavaScript and TypeScript want a newer Node than hosts have: LanguagesIT plays them."""
import os
import sys
import time
import unittest

from agent_case import GUEST, KERNEL, AgentCase
from kernels import KernelContract

KERNELS = os.path.join(GUEST, "kernels")
JAVA = os.path.join(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"


class PythonContractTest(KernelContract, AgentCase):
    language = "python"
    command = f"{sys.executable} {KERNEL}"


class BashContractTest(KernelContract, AgentCase):
    language = "bash"
    command = f"/bin/bash {KERNELS}/bash/kernel.sh"

    def test_interrupts_right_behind_the_code_are_not_lost(self):
        context = self.client.context("bash")
        for _ in range(200):
            context.begin("sleep 30")
            self.client.send(context.channel, "Interrupt")
            self.assertEqual(context.end().error["name"], "Interrupted")

    def test_interrupts_reach_the_shell_that_goes_on_after_one_has_ended(self):
        context = self.client.context("bash")
        for _ in range(3):
            context.run("set -e; false")
            for code in ("echo ready; sleep 300; echo on", "echo ready; (sleep 200; sleep 200); echo on", "echo ready; while ((1)); do ((n++)); done"):
                context.begin(code)
                self.assertEqual(self.client.expect(context.channel, "Data").bytes, b"ready\n")
                self.client.send(context.channel, "Interrupt")
                cell = context.end()
                self.assertEqual((cell.error["name"], cell.stdout), ("Interrupted", ""), code)

    def test_a_late_interrupt_hits_nothing(self):
        context = self.client.context("bash")
        for i in range(200):
            context.begin("true")
            time.sleep(0.0005 * (i % 7) / 7)
            self.client.send(context.channel, "Interrupt")
            context.end()
            self.assertEqual(context.run("echo 2").stdout, "2\n")

    def test_children_do_not_get_the_control_pipes(self):
        context = self.client.context("bash")
        for _ in range(2):
            self.assertEqual(context.run("ls /proc/self/fd").stdout.split(), ["0", "1", "2", "3"])
            context.run("set -e; false")

    def test_cells_that_end_their_shell_leave_no_processes_behind(self):
        context = self.client.context("bash")
        for _ in range(20):
            self.assertEqual(context.run("set -e; false").error["value"], "1")
        # The first shell, the one that watches over the pipe, and the one that serves; and two that look.
        deadline = time.monotonic() + 30
        while (left := int(context.run("ps axo pgid= | grep -cw $$").stdout)) > 5 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertLessEqual(left, 5)


class JavaContractTest(KernelContract, AgentCase):
    """A JVM is slow to start: few sessions here, and all of them in LanguagesIT."""

    language = "java"
    command = f"{JAVA} @{KERNELS}/java/options -cp {GUEST}/target/kernels/java/kernel.jar dev.atoll.kernel.Kernel"
    chosen = ("variables stay, and each context has its own", "errors show the user's lines, and the state stays", "an interrupt ends the execution and nothing else", "classes of the user may meet where branches do")


class UnknownLanguageTest(AgentCase):
    extra_config = f"kernel.bash=/bin/bash {KERNELS}/bash/kernel.sh\n"

    def test_the_refusal_names_the_languages_that_there_are(self):
        failed = self.client.expect(self.client.open("OpenContext", language="cobol"), "Failed")
        self.assertEqual(failed.message, "this template has no kernel of that language; it has python, bash")


if __name__ == "__main__":
    unittest.main()
