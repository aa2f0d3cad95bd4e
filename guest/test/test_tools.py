"""Lists and archives that the agent makes of files when it is started by name, beside those of find and tar."""
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from agent_case import AGENT

RECORD = r"/%P//%y %m %U %G %s %T@ %C@ %D %n//%l\0"
# Between them are all that sort differently with and without a slash behind them.
NAMES = [b"a", b"a-b", b"a.b", b"a/b", b"a/.hidden", b"a/b/c", b"a b", b"a/-", b"a0", b"\xff\xfe", b"z\nz", b"!x", b"~y", "größe".encode()]


class ToolsTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="atoll-guest-test-").encode()
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.root, name)

    def make_tree(self):
        for name in sorted(NAMES, key=len, reverse=True):
            if os.path.isdir(self.path(name)):
                continue
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "wb") as out:
                out.write(name * 100)
        os.symlink(b"/nowhere//at all", self.path(b"link"))
        os.link(self.path(b"a0"), self.path(b"also-a0"))
        os.mkfifo(self.path(b"pipe"))
        os.chmod(self.path(b"a0"), 0o4751)

    def run_tool(self, tool, stdin=b""):
        return subprocess.run([AGENT, tool, self.root], input=stdin, capture_output=True, timeout=60)

    def test_a_walk_is_that_of_find_in_the_order_of_bytes(self):
        self.make_tree()
        for left_out in (b"proc/1", b"dev/null", b"opt/atoll/agent", b"opt/other"):
            os.makedirs(self.path(left_out))
        records = self.run_tool("walk").stdout.split(b"\0")
        found = subprocess.run([b"find", self.root + b"/", b"-printf", RECORD.encode()], stdout=subprocess.PIPE, check=True).stdout.split(b"\0")[:-1]
        wanted = [record for record in found if not record.startswith((b"/proc", b"/dev", b"/opt/atoll"))]
        self.assertEqual(records[0], b"!%d %d" % (os.stat(self.path(b"opt/atoll/agent")).st_dev, os.getuid()))
        self.assertEqual(records[-2:], [b"~0", b""])
        # find has one digit more than there are nanoseconds.
        self.assertEqual(records[1:-2], sorted(re.sub(rb"(\.\d{9})0 ", rb"\1 ", record) for record in wanted))

    def test_an_archive_has_content_owners_permissions_times_and_links(self):
        self.make_tree()
        names = [b"./a", b"./a0", b"./also-a0", b"./link", b"./pipe", b"./z\nz", b"./gone"]
        os.utime(self.path(b"a0"), ns=(1, 1234567890_123456789))
        os.utime(self.path(b"z\nz"), ns=(1, -1_500_000_000))
        packed = self.run_tool("pack", b"\0".join(names) + b"\0")
        self.assertEqual((packed.returncode, packed.stderr), (1, b""))
        with tarfile.open(fileobj=io.BytesIO(packed.stdout), errors="surrogateescape") as tar:
            members = {member.name: member for member in tar.getmembers()}
            self.assertEqual(list(members), [name.decode() for name in names[:-1]])
            first = members["./a0"]
            self.assertEqual((first.mode, first.uid, first.size, first.pax_headers["mtime"]), (0o4751, os.getuid(), 200, "1234567890.123456789"))
            self.assertEqual(tar.extractfile(first).read(), b"a0" * 100)
            self.assertEqual((members["./also-a0"].islnk(), members["./also-a0"].linkname), (True, "./a0"))
            self.assertEqual((members["./link"].issym(), members["./link"].linkname), (True, "/nowhere//at all"))
            self.assertTrue(members["./a"].isdir() and members["./pipe"].isfifo())
            self.assertEqual(members["./z\nz"].pax_headers["mtime"], "-1.500000000")

    def test_tar_unpacks_long_names_and_odd_ones(self):
        folder = b"/".join([b"long" * 20] * 12)
        os.makedirs(self.path(folder))
        for name in (b"\xff\xfe", b"x" * 99, b"x" * 100, b"x" * 255):
            with open(self.path(os.path.join(folder, name)), "wb") as out:
                out.write(b"content of " + name)
            os.symlink(b"../" * 50 + name, self.path(os.path.join(folder, b"to-" + name[:200])))
        walked = [record.split(b"//")[0] for record in self.run_tool("walk").stdout.split(b"\0")[1:-2]]
        packed = self.run_tool("pack", b"".join(b"." + name + b"\0" for name in walked if name != b"/"))
        self.assertEqual((packed.returncode, packed.stderr), (0, b""))
        other = tempfile.mkdtemp(prefix="atoll-guest-test-").encode()
        self.addCleanup(shutil.rmtree, other, ignore_errors=True)
        subprocess.run([b"tar", b"-xC", other], input=packed.stdout, check=True)
        subprocess.run([b"diff", b"-r", b"--no-dereference", self.root, other], check=True)

    def test_a_large_file_keeps_its_size(self):
        with open(self.path(b"sparse"), "wb") as out:
            out.truncate(9 << 30)
        with subprocess.Popen([AGENT, "pack", self.root], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pack:
            pack.stdin.write(b"./sparse\0")
            pack.stdin.close()
            with tarfile.open(fileobj=pack.stdout, mode="r|") as tar:
                self.assertEqual(tar.next().size, 9 << 30)
            pack.kill()

    def test_what_is_no_folder_is_an_error(self):
        for tool in ("walk", "pack"):
            outcome = subprocess.run([AGENT, tool, "/no/such/folder"], input=b"", capture_output=True, timeout=60)
            self.assertEqual(outcome.returncode, 2)
            self.assertIn(b"/no/such/folder", outcome.stderr)
