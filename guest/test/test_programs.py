"""How the programs are linked: what an attacker who found a flaw would have to overcome."""
import os
import subprocess
import unittest

from agent_case import GUEST


class Programs(unittest.TestCase):
    def read(self, name, *options):
        return subprocess.run(["readelf", "-W", *options, os.path.join(GUEST, "target", name)], capture_output=True, text=True, check=True).stdout

    def test_static_at_random_addresses_with_read_only_relocations(self):
        for name in ("atoll-agent", "atoll-keeper", "atoll-jailer"):
            with self.subTest(name):
                self.assertIn("DYN (Position-Independent Executable file)", self.read(name, "-h"))
                segments, dynamic = self.read(name, "-l"), self.read(name, "-d")
                self.assertNotIn("INTERP", segments)
                self.assertIn("GNU_RELRO", segments)
                self.assertRegex(segments, r"GNU_STACK .* RW ")
                self.assertIn("BIND_NOW", dynamic)
                self.assertNotIn("TEXTREL", dynamic)
                self.assertNotIn("NEEDED", dynamic)

    def test_stack_is_protected(self):
        for part, source in (("agent", "config"), ("keeper", "keeper"), ("jailer", "root")):
            with self.subTest(part):
                names = subprocess.run(["nm", os.path.join(GUEST, "target", part, source + ".o")], capture_output=True, text=True, check=True).stdout
                self.assertIn("__stack_chk_fail", names)


if __name__ == "__main__":
    unittest.main()
