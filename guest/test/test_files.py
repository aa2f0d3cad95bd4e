"""Files and watches."""
import os
import time
import unittest

from agent_case import AgentCase


class FilesTest(AgentCase):
    extra_config = ""

    def put(self, path, data, **fields):
        channel = self.client.open("WriteFile", path=path, **fields)
        sent, limit = 0, 262144
        for i in range(0, len(data), 60000):
            while sent + 60100 > limit:
                frame = self.client.next(channel)
                if frame.name != "Credit":
                    return frame
                limit = frame.limit
            self.client.send(channel, "Data", stream=4, bytes=data[i:i + 60000])
            sent += 60100
        self.client.send(channel, "Eof", stream=4)
        return self.client.until(channel, ("Written", "Failed"))[-1]

    def get(self, path, **fields):
        channel = self.client.open("ReadFile", path=path, **fields)
        entry = self.client.expect(channel, "Entry")
        return entry, b"".join(frame.bytes for frame in self.client.until(channel, ("Eof",)) if frame.name == "Data")

    def ask(self, name, **fields):
        channel = self.client.open(name, **fields)
        return self.client.until(channel, ("Ok", "Failed", "Entry", "Eof"))

    def reason(self, name, **fields):
        return self.client.failed(self.client.open(name, **fields))

    def test_written_bytes_come_back(self):
        data = os.urandom(3_000_000)
        self.assertEqual(self.put(self.path("f"), data).bytes, len(data))
        entry, got = self.get(self.path("f"))
        self.assertEqual((got == data, entry.size, entry.mode, entry.kind, entry.path), (True, len(data), 0o644, 1, self.path("f")))
        self.assertEqual(self.get(self.path("f"), offset=10, length=5)[1], data[10:15])
        self.assertEqual(self.get(self.path("f"), offset=5_000_000)[1], b"")
        self.assertEqual([name for name in os.listdir(self.directory) if name.startswith(".atoll")], [])

    def test_replacing_keeps_mode_and_links(self):
        self.put(self.path("a"), b"1", mode=0o750)
        os.symlink("a", self.path("link"))
        self.put(self.path("link"), b"2")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual((self.read("a"), os.stat(self.path("a")).st_mode & 0o777), (b"2", 0o750))

    def test_append_and_parents(self):
        self.assertEqual(self.put(self.path("x/y/z"), b"1").name, "Failed")
        self.put(self.path("x/y/z"), b"1", parents=1)
        self.put(self.path("x/y/z"), b"23", append=1)
        self.assertEqual(self.read("x/y/z"), b"123")

    def test_empty_file(self):
        self.assertEqual(self.put(self.path("e"), b"").bytes, 0)
        self.assertEqual(self.get(self.path("e"))[1], b"")

    def test_closed_upload_leaves_nothing(self):
        channel = self.client.open("WriteFile", path=self.path("half"))
        self.client.send(channel, "Data", stream=4, bytes=b"x" * 50000)
        time.sleep(0.1)
        self.assertEqual(len([name for name in os.listdir(self.directory) if name.startswith(".atoll")]), 1)
        self.client.close(channel)
        self.assertEqual(sorted(os.listdir(self.directory)), ["agent.conf", "log"])

    def test_what_is_no_regular_file_is_refused(self):
        os.mkfifo(self.path("fifo"))
        self.assertEqual(self.reason("ReadFile", path=self.path("fifo")), "INVALID")
        self.assertEqual(self.reason("ReadFile", path="/dev/zero"), "INVALID")
        self.assertEqual(self.reason("ReadFile", path=self.directory), "IS_A_DIRECTORY")
        self.assertEqual(self.reason("ReadFile", path=self.path("none")), "NOT_FOUND")
        self.assertEqual(self.reason("WriteFile", path=self.directory), "IS_A_DIRECTORY")
        self.assertEqual(self.reason("WriteFile", path="/dev/null"), "INVALID")
        self.assertEqual(self.reason("WriteFile", path=self.path("fifo"), append=1), "INVALID")

    def test_bad_paths_are_refused(self):
        self.assertEqual(self.reason("Stat", path="/a\0b"), "INVALID")
        self.assertEqual(self.reason("Stat", path=""), "INVALID")
        self.assertEqual(self.reason("Stat", path="/" + "a/" * 2100), "INVALID")
        self.assertEqual(self.reason("Remove", path="/", recursive=1), "INVALID")

    @unittest.skipUnless(os.geteuid() == 0, "only root can act for somebody else")
    def test_rights_are_those_of_the_user(self):
        self.put(self.path("secret"), b"s", mode=0o600)
        self.assertEqual(self.reason("ReadFile", path=self.path("secret"), user="nobody"), "PERMISSION_DENIED")
        self.assertEqual(self.reason("WriteFile", path=self.path("new"), user="nobody"), "PERMISSION_DENIED")
        self.assertEqual(self.reason("Stat", path="/", user="nosuchuser"), "NO_SUCH_USER")
        os.mkdir(self.path("open"))
        os.chmod(self.path("open"), 0o777)
        self.put(self.path("open/f"), b"1", user="nobody")
        self.assertEqual(os.stat(self.path("open/f")).st_uid, 65534)

    def test_stat_shows_links_as_such(self):
        os.symlink("somewhere", self.path("l"))
        entry = self.ask("Stat", path=self.path("l"))[-1]
        self.assertEqual((entry.kind, entry.target), (3, "somewhere"))
        self.assertEqual(self.ask("Stat", path="/")[-1].path, "/")
        for path in ("/usr/", "/usr//", "/./usr/.", "//usr"):
            self.assertEqual(self.ask("Stat", path=path)[-1].path, "/usr")

    def test_list_goes_as_deep_as_asked(self):
        os.makedirs(self.path("d/e/f"))
        for i in range(300):
            open(self.path(f"d/{i:03}"), "w").close()
        os.symlink("/", self.path("d/root"))

        def names(**fields):
            frames = self.ask("List", path=self.path("d"), **fields)
            return [e["path"][len(self.directory):] for f in frames if f.name == "Entries" for e in f.entries], [f.truncated for f in frames if f.name == "Entries"]
        self.assertEqual(len(names()[0]), 302)
        self.assertEqual(len(names(depth=9)[0]), 303)
        self.assertIn("/d/e/f", names(depth=2)[0])
        some, truncated = names(max=10)
        self.assertEqual((len(some), truncated[-1]), (10, 1))
        self.assertEqual(names(max=302)[1][-1], 0)
        self.assertEqual(self.reason("List", path=self.path("d/001")), "NOT_A_DIRECTORY")

    def test_names_that_are_not_utf8_are_shown(self):
        os.mkdir(self.path("u"))
        open(self.path("u").encode() + b"/\xff\xfe", "w").close()
        frames = self.ask("List", path=self.path("u"))
        self.assertEqual(frames[0].entries[0]["path"], self.path("u") + "/\ufffd\ufffd")

    def test_move(self):
        self.put(self.path("a"), b"1")
        self.put(self.path("b"), b"2")
        self.assertEqual(self.reason("Move", **{"from": self.path("a"), "to": self.path("b")}), "ALREADY_EXISTS")
        self.assertEqual(self.ask("Move", **{"from": self.path("a"), "to": self.path("b"), "overwrite": 1})[-1].name, "Ok")
        self.assertEqual(self.read("b"), b"1")
        self.assertEqual(self.reason("Move", **{"from": self.path("a"), "to": self.path("c")}), "NOT_FOUND")
        self.assertEqual(self.ask("Move", **{"from": self.path("b"), "to": self.path("c")})[-1].name, "Ok")

    def test_remove(self):
        os.makedirs(self.path("t/u"))
        self.put(self.path("t/u/f"), b"1")
        self.assertEqual(self.reason("Remove", path=self.path("t")), "DIRECTORY_NOT_EMPTY")
        self.assertEqual(self.ask("Remove", path=self.path("t"), recursive=1)[-1].name, "Ok")
        self.assertFalse(os.path.exists(self.path("t")))
        self.assertEqual(self.reason("Remove", path=self.path("t")), "NOT_FOUND")

    def test_remove_of_a_tree_deeper_than_descriptors(self):
        here = os.getcwd()
        os.mkdir(self.path("deep"))
        os.chdir(self.path("deep"))
        for _ in range(1500):
            os.mkdir("d")
            open("f", "w").close()
            os.chdir("d")
        os.chdir(here)
        self.assertEqual(self.ask("Remove", path=self.path("deep"), recursive=1)[-1].name, "Ok")
        self.assertFalse(os.path.exists(self.path("deep")))

    def test_make_dir(self):
        self.assertEqual(self.reason("MakeDir", path=self.path("p/q")), "NOT_FOUND")
        self.assertEqual(self.ask("MakeDir", path=self.path("p/q"), parents=1, mode=0o700)[-1].name, "Ok")
        self.assertEqual(os.stat(self.path("p/q")).st_mode & 0o777, 0o700)
        self.assertEqual(self.ask("MakeDir", path=self.path("p/q"), parents=1)[-1].name, "Ok")
        self.assertEqual(self.reason("MakeDir", path=self.path("p/q")), "ALREADY_EXISTS")

    def test_reading_waits_for_credit_and_can_be_closed(self):
        self.put(self.path("big"), bytes(1_000_000))
        self.client.auto_credit = False
        channel = self.client.open("ReadFile", path=self.path("big"))
        self.client.silent(0.3)
        self.assertLessEqual(self.client.received[channel], 262144)
        self.assertGreater(self.client.received[channel], 200000)
        self.client.close(channel)

    def events(self, channel, count):
        return [(f.kind, f.path[len(self.directory) + 1:], f.__getattr__("from")[len(self.directory) + 1:]) for f in [self.client.expect(channel, "Event") for _ in range(count)]]

    def test_watch_tells_what_happens(self):
        os.mkdir(self.path("w"))
        channel = self.client.open("Watch", path=self.path("w"), recursive=1)
        self.client.expect(channel, "Ok")
        open(self.path("w/f"), "w").close()
        self.assertEqual(self.events(channel, 1), [(1, "w/f", "")])
        with open(self.path("w/f"), "a") as file:
            file.write("x")
        self.assertEqual(self.events(channel, 1), [(2, "w/f", "")])
        os.rename(self.path("w/f"), self.path("w/g"))
        self.assertEqual(self.events(channel, 1), [(4, "w/g", "w/f")])
        os.mkdir(self.path("w/sub"))
        self.assertEqual(self.events(channel, 1), [(1, "w/sub", "")])
        time.sleep(0.1)
        open(self.path("w/sub/deep"), "w").close()
        self.assertEqual(self.events(channel, 1), [(1, "w/sub/deep", "")])
        os.rename(self.path("w/sub"), self.path("w/bus"))
        self.assertEqual(self.events(channel, 1), [(4, "w/bus", "w/sub")])
        os.remove(self.path("w/bus/deep"))
        self.assertEqual(self.events(channel, 1), [(3, "w/bus/deep", "")])
        os.rename(self.path("w/g"), self.path("outside"))
        self.assertEqual(self.events(channel, 1), [(3, "w/g", "")])
        self.client.close(channel)
        self.assertEqual(self.reason("Watch", path=self.path("none")), "NOT_FOUND")


if __name__ == "__main__":
    unittest.main()
