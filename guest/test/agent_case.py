"""A test case with an agent that runs as a plain process on this host."""
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import unittest

from client import Client

GUEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AGENT = os.path.join(GUEST, "target", "atoll-agent")
KEEPER = os.path.join(GUEST, "target", "atoll-keeper")
KERNEL = os.path.join(GUEST, "kernels", "python", "kernel.py")
USER = pwd.getpwuid(os.geteuid()).pw_name


class AgentCase(unittest.TestCase):
    extra_config = "spare=python\n"
    # What the kernel gets besides; {} stands for the test's directory.
    kernel_arguments = ""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="atoll-guest-test-")
        os.chmod(self.directory, 0o755)
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.config = os.path.join(self.directory, "agent.conf")
        with open(self.config, "w") as out:
            out.write(f"user={USER}\nallow-root=true\npath=/usr/local/bin:/usr/bin:/bin\nenv.BASE=base\n"
                      f"kernel.python={sys.executable} {KERNEL} {self.kernel_arguments.format(self.directory)}\n{self.extra_config}")
        self.prepare()
        self.start_agent()

    def prepare(self):
        """For what must be there before the agent starts."""

    def start_agent(self):
        self.log = open(os.path.join(self.directory, "log"), "w")
        self.agent = subprocess.Popen([AGENT, "--config", self.config], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)
        self.addCleanup(self.stop_agent)
        self.client = Client(self.agent.stdout.fileno(), self.agent.stdin.fileno())
        self.hello = self.client.expect(0, "Hello", 30)

    def stop_agent(self):
        self.agent.stdin.close()
        try:
            self.agent.wait(60)
        finally:
            self.agent.kill()
            self.agent.wait()
            self.agent.stdout.close()
            self.log.close()

    def path(self, name):
        return os.path.join(self.directory, name)

    def read(self, name):
        """The content of a file in the test's directory, empty when there is none."""
        try:
            with open(self.path(name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""
