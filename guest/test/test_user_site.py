"""Code of the user's that runs before every start of Python."""
import os
import sys

from agent_case import AgentCase


class UserSiteTest(AgentCase):
    extra_config = ""

    def prepare(self):
        site = os.path.join(self.directory, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
        os.makedirs(site)
        self.custom = os.path.join(site, "usercustomize.py")
        with open(self.config, "a") as out:
            out.write(f"env.PYTHONUSERBASE={self.directory}\n")

    def write(self, text):
        with open(self.custom, "w") as out:
            out.write(text)

    def test_one_that_ends_the_interpreter_is_left_out_and_told(self):
        for ending in ("import os; os._exit(0)", "import sys; sys.exit(3)", "import os; os.kill(os.getpid(), 9)"):
            self.write(ending)
            context = self.client.context()
            cell = context.run("import os, sys\n('usercustomize' in sys.modules, os.environ.get('PYTHONNOUSERSITE'), os.environ.get('ATOLL_CAUTIOUS_START'))")
            self.assertEqual(cell.text, "(False, None, None)", ending)
            self.assertIn(self.directory, cell.stderr)
            self.assertIn("usercustomize.py", cell.stderr)
            self.assertEqual(context.run("1 + 1").stderr, "", "it is told once")

    def test_one_that_does_no_harm_is_run(self):
        self.write("import builtins; builtins.custom = 41")
        cell = self.client.context().run("custom + 1")
        self.assertEqual((cell.text, cell.stderr), ("42", ""))
