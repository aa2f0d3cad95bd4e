"""The jailer: a command in a world of its own, without a way back."""
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from agent_case import GUEST

JAILER = os.path.join(GUEST, "target", "atoll-jailer")
BASE = 0x7FFE0000
SYSTEM = ["--bind-ro", "/usr", "/usr", "--link", "usr/bin", "/bin", "--link", "usr/lib", "/lib", "--link", "usr/lib64", "/lib64"]


@unittest.skipUnless(os.geteuid() == 0, "the jailer is started by root of the host")
class JailerCase(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="atoll-jailer-test-")
        os.chmod(self.directory, 0o755)
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def folder(self, name):
        os.mkdir(self.path(name))
        return self.path(name)

    def line(self, *options, script=None, command=(), base=BASE):
        return [JAILER, "--uid-base", str(base), *options, "--", *(["/usr/bin/bash", "-c", script] if script is not None else command)]

    def run_in(self, *options, **what):
        return subprocess.run(self.line(*options, **what), capture_output=True, text=True, timeout=30)

    def bash(self, script, *options):
        return self.run_in(*SYSTEM, *options, script=script)

    def said(self, script, *options):
        result = self.bash(script, *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split()

    def refused(self, reason, *options, **what):
        result = self.run_in(*options, **(what or {"script": "echo ran"}))
        self.assertEqual((result.returncode, result.stdout), (125, ""), result.stderr)
        self.assertIn(reason, result.stderr)
        self.assertEqual(result.stderr.count("\n"), result.stderr.count("atoll-jailer: "), result.stderr)

    def wait_until(self, condition):
        deadline = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)


class Sight(JailerCase):
    def test_root_holds_what_was_given_and_nothing_else(self):
        self.folder("data")
        self.assertEqual(self.said("ls /; ls /one", "--bind", self.path("data"), "/one/two"), ["bin", "lib", "lib64", "one", "usr", "two"])

    def test_no_way_leads_back_to_the_old_root(self):
        script = "cd ..; cd ../..; echo *; cat /proc/self/mountinfo | wc -l; echo /proc/self/root/*"
        self.assertEqual(self.said(script, "--proc", "/proc"), ["bin", "lib", "lib64", "proc", "usr", "3", *("/proc/self/root/" + name for name in ("bin", "lib", "lib64", "proc", "usr"))])

    def test_first_process_is_out_of_reach(self):
        # It was started by the host's root: what it has open must not become the command's.
        result = self.bash("ls /proc/1/root/; ls /proc/1/fd; cat /proc/1/environ; cat /proc/1/mem", "--proc", "/proc")
        self.assertEqual((result.stdout, result.stderr.count("Permission denied")), ("", 4), result.stderr)

    def test_the_directory_of_the_caller_is_not_held(self):
        # A process that kept it could walk up to the host's root.
        result = subprocess.run(self.line(*SYSTEM, "--proc", "/proc", script="readlink /proc/self/cwd; pwd -P"), cwd=self.directory, capture_output=True, text=True)
        self.assertEqual(result.stdout.split(), ["/", "/"])

    def test_root_and_system_cannot_be_written_to_or_unlocked(self):
        result = self.bash("echo x > /new; mkdir /usr/new; mount -o remount,rw,bind /; mount -o remount,rw,bind /usr; umount /usr; umount -l /; echo done", "--proc", "/proc")
        self.assertEqual(result.stdout, "done\n")
        self.assertEqual(result.stderr.count("Read-only file system"), 2, result.stderr)
        self.assertEqual(len(result.stderr.split("\n")) >= 6, True, result.stderr)
        self.assertFalse(os.path.exists("/usr/new"))

    def test_only_own_processes_are_seen(self):
        numbers = [name for name in self.said("echo /proc/[0-9]*", "--proc", "/proc")]
        self.assertLessEqual(len(numbers), 3)
        self.assertIn("/proc/1", numbers)

    def test_processes_of_the_host_cannot_be_signalled(self):
        result = self.bash(f"kill -0 {os.getpid()}; kill -0 {os.getppid()}", "--proc", "/proc")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.count("No such process"), 2, result.stderr)

    def test_no_network_unless_asked_for(self):
        self.assertEqual(self.said("cut -d: -f1 -s /proc/net/dev", "--proc", "/proc")[-1:], ["lo"])
        with open("/proc/net/dev") as file:
            outside = [line.split(":")[0].strip() for line in file if ":" in line]
        self.assertEqual(self.said("cut -d: -f1 -s /proc/net/dev", "--proc", "/proc", "--host-network"), outside)

    def test_namespaces_are_all_its_own(self):
        inside = self.said("readlink /proc/self/ns/{user,mnt,pid,ipc,uts,cgroup,net}", "--proc", "/proc")
        outside = [os.readlink(f"/proc/self/ns/{name}") for name in ("user", "mnt", "pid", "ipc", "uts", "cgroup", "net")]
        self.assertEqual(len(set(inside) - set(outside)), 7)

    def test_devices_are_the_harmless_ones(self):
        self.assertEqual(self.said("ls /dev; echo x > /dev/null; head -c 4 /dev/urandom | wc -c", "--dev", "/dev", "--proc", "/proc"),
                         ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "urandom", "zero", "4"])

    def test_device_of_a_given_tree_does_not_open(self):
        self.folder("data")
        os.mknod(self.path("data", "memory"), 0o20666, os.makedev(1, 3))
        result = self.bash("echo x > /data/memory", "--mapped", self.path("data"), "/data")
        self.assertIn("Permission denied", result.stderr)

    def test_memory_file_system_is_bounded(self):
        result = self.bash("head -c 2000000 /dev/zero > /tmp/x; stat -c %s /tmp/x", "--tmpfs", "/tmp", "1048576", "--dev", "/dev", "--proc", "/proc")
        self.assertIn("No space left", result.stderr)
        self.assertEqual(result.stdout, "1048576\n")


class Identity(JailerCase):
    def test_root_inside_is_nobody_outside(self):
        self.folder("data")
        os.chown(self.path("data"), BASE, BASE)
        self.assertEqual(self.said("id -u; cat /proc/self/uid_map; touch /data/x", "--proc", "/proc", "--bind", self.path("data"), "/data"), ["0", "0", str(BASE), "65536"])
        self.assertEqual(os.stat(self.path("data", "x")).st_uid, BASE)

    def test_files_of_the_hosts_root_are_not_its_own(self):
        self.folder("data")
        with open(self.path("data", "secret"), "w") as file:
            file.write("x")
        os.chmod(self.path("data", "secret"), 0o600)
        result = self.bash("cat /data/secret; chmod 777 /data/secret; echo x > /data/new", "--bind", self.path("data"), "/data")
        self.assertEqual((result.stdout, result.stderr.count("Permission denied"), result.stderr.count("not permitted")), ("", 2, 1), result.stderr)

    def test_mapped_tree_has_the_same_ids_on_disk_and_inside(self):
        self.folder("data")
        os.chown(self.path("data"), 0, 0)
        open(self.path("data", "theirs"), "w").close()
        os.chown(self.path("data", "theirs"), 1000, 1001)
        said = self.said("stat -c %u:%g /data /data/theirs; cp /usr/bin/true /data/new; chown 7:8 /data/new; chmod 4755 /data/new; stat -c %u:%g:%a /data/new", "--mapped", self.path("data"), "/data")
        self.assertEqual(said, ["0:0", "1000:1001", "7:8:4755"])
        new = os.stat(self.path("data", "new"))
        self.assertEqual((new.st_uid, new.st_gid), (7, 8))

    def test_mapped_tree_may_be_read_only(self):
        self.folder("data")
        result = self.bash("echo x > /data/new", "--mapped-ro", self.path("data"), "/data")
        self.assertIn("Read-only file system", result.stderr)

    def test_setuid_programs_gain_nothing(self):
        self.folder("data")
        shutil.copy("/usr/bin/id", self.path("data", "id"))
        os.chmod(self.path("data", "id"), 0o4755)
        self.assertEqual(self.said("/data/id -u; grep NoNewPrivs /proc/self/status", "--mapped", self.path("data"), "/data", "--proc", "/proc", "--user", "5", "6"), ["5", "NoNewPrivs:", "1"])

    def test_another_user_has_no_capability(self):
        said = self.said("id -u; id -g; id -G; grep -E 'Cap(Prm|Eff|Amb)' /proc/self/status", "--proc", "/proc", "--user", "1000", "1001")
        self.assertEqual(said[:3], ["1000", "1001", "1001"])
        self.assertEqual(set(said[4::2]), {"0" * 16})

    def test_what_stays_outside_gives_its_privileges_up(self):
        process = subprocess.Popen(self.line(*SYSTEM, script="echo ready; read"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        process.stdout.readline()
        with open(f"/proc/{process.pid}/status") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        self.assertEqual((status["Uid"], status["CapEff"], status["CapPrm"], status["NoNewPrivs"], status["Groups"].strip()), ("\t".join([str(BASE)] * 4), "0" * 16, "0" * 16, "1", ""))
        self.assertEqual(sorted(os.listdir(f"/proc/{process.pid}/root")), ["bin", "lib", "lib64", "usr"])
        process.stdin.close()
        self.assertEqual(process.wait(20), 1)


class Course(JailerCase):
    def test_descriptors_are_closed(self):
        extra = os.open("/etc", os.O_RDONLY)
        self.addCleanup(os.close, extra)
        high = fcntl.fcntl(extra, fcntl.F_DUPFD, 50)
        self.addCleanup(os.close, high)
        # The shell has one of its own while it looks.
        result = subprocess.run(self.line(*SYSTEM, "--proc", "/proc", script="cd /proc/$$/fd; echo *"), capture_output=True, text=True, pass_fds=(extra, high))
        self.assertLessEqual(set(result.stdout.split()), {"0", "1", "2", "3", "255"})

    def test_exit_status_is_passed_through(self):
        for status in (0, 1, 3, 124, 255):
            self.assertEqual(self.bash(f"exit {status}").returncode, status)

    def test_signal_of_the_command_is_passed_through(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGABRT):
            self.assertEqual(self.bash(f"kill -{int(number)} $$").returncode, -number)

    def test_signals_reach_the_command(self):
        process = subprocess.Popen(self.line(*SYSTEM, script="trap 'echo got; exit 9' TERM; echo ready; while :; do read -t 1 < <(:); done"), stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        process.stdout.readline()
        process.terminate()
        self.assertEqual((process.stdout.readline(), process.wait(20)), ("got\n", 9))

    def test_all_end_with_the_command(self):
        said = self.said("(trap '' HUP TERM; exec sleep 1000) >/dev/null 2>&1 & echo started", "--dev", "/dev")
        self.assertEqual(said, ["started"])
        self.wait_until(lambda: not self.processes())

    def test_orphans_are_reaped(self):
        said = self.said("for i in 1 2 3; do (sleep 0.05 & ); done; for i in {1..200}; do "
                         "set -- /proc/[0-9]*; [ $# -le 2 ] && break; sleep 0.05; done; echo $#", "--proc", "/proc", "--dev", "/dev")
        self.assertEqual(said, ["2"])

    def test_killing_the_jailer_ends_all(self):
        process = subprocess.Popen(self.line(*SYSTEM, script="echo ready; sleep 1000"), stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        process.stdout.readline()
        process.kill()
        process.wait()
        self.wait_until(lambda: not self.processes())

    def test_dies_with_its_parent_when_asked_to(self):
        line = self.line(*SYSTEM, "--die-with-parent", script="echo ready; sleep 1000")
        parent = subprocess.Popen([sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])", *line], stdout=subprocess.PIPE, text=True)
        self.addCleanup(parent.stdout.close)
        parent.stdout.readline()
        self.assertTrue(self.processes())
        parent.kill()
        parent.wait()
        self.wait_until(lambda: not self.processes())

    def test_outlives_the_thread_that_started_it(self):
        program = """if True:
            import subprocess, sys, threading
            started = []
            thread = threading.Thread(target=lambda: started.append(subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)))
            thread.start()
            thread.join()
            # The thread is gone for the kernel too once its number is.
            import os
            while len(os.listdir('/proc/self/task')) > 1: pass
            started[0].stdin.close()
            sys.exit(started[0].wait())
        """
        line = self.line(*SYSTEM, "--die-with-parent", script="read line; sleep 0.2; exit 42")
        self.assertEqual(42, subprocess.run([sys.executable, "-c", program, *line], timeout=60).returncode)

    def processes(self):
        """Processes of the host whose user is one of the test's range."""
        found = []
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and BASE <= os.stat(f"/proc/{name}").st_uid < BASE + 65536:
                    found.append(name)
            except FileNotFoundError:
                pass
        return found

    def test_limits_hold(self):
        said = self.said("ulimit -H -v; ulimit -H -n; ulimit -H -u; ulimit -H -t; ulimit -H -f",
                         "--limit", "as", "1073741824", "--limit", "nofile", "64", "--limit", "nproc", "50", "--limit", "cpu", "20", "--limit", "fsize", "1048576")
        self.assertEqual(said, ["1048576", "64", "50", "20", "1024"])

    def test_joins_control_groups(self):
        parent = next((path for path in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup") if os.path.exists(path + "/cgroup.procs")), None)
        group = os.path.join(parent, f"atoll-jailer-test-{os.getpid()}")
        os.mkdir(group)
        self.addCleanup(self.wait_until, lambda: self.removed(group))
        process = subprocess.Popen(self.line(*SYSTEM, "--proc", "/proc", "--cgroup", group, script="cat /proc/self/cgroup; read"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.assertTrue(process.stdout.readline().rstrip("\n").endswith("/"))
        with open(group + "/cgroup.procs") as file:
            members = file.read().split()
        self.assertEqual(len(members) >= 2, True)
        self.assertNotIn(str(process.pid), members)
        process.stdin.close()
        process.wait(20)

    def removed(self, group):
        try:
            os.rmdir(group)
        except OSError:
            return False
        return True


class Entering(JailerCase):
    """Another command in a world that is there."""

    def setUp(self):
        super().setUp()
        parent = next(path for path in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup") if os.path.exists(path + "/cgroup.procs"))
        self.group = os.path.join(parent, f"atoll-jailer-enter-{os.getpid()}")
        os.mkdir(self.group)
        self.addCleanup(self.wait_until, self.removed)
        self.folder("own")
        os.chown(self.path("own"), BASE, BASE)

    def removed(self):
        try:
            os.rmdir(self.group)
        except OSError:
            return False
        return True

    def begin(self, script):
        process = subprocess.Popen(self.line(*SYSTEM, "--proc", "/proc", "--dev", "/dev", "--bind", self.path("own"), "/own", "--cgroup", self.group, script=script),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        return process.stdout.readline().split()

    def members(self):
        with open(self.group + "/cgroup.procs") as file:
            return file.read().split()

    def enter(self, script, base=BASE):
        return subprocess.run([JAILER, "--uid-base", str(base), "--enter", self.group, "--", "/usr/bin/bash", "-c", script], capture_output=True, text=True, timeout=30)

    def test_it_is_in_the_same_namespaces_with_the_same_ids(self):
        look = "echo $(readlink /proc/self/ns/{user,mnt,pid,ipc,uts,cgroup,net}) $(id -u) $(grep -E '^(NoNewPrivs|CapEff)' /proc/self/status)"
        first = self.begin(look + "; read")
        result = self.enter(look + "; touch /own/x; exit 7")
        self.assertEqual((result.returncode, result.stderr), (7, ""))
        self.assertEqual(result.stdout.split(), first)
        self.assertEqual(os.stat(self.path("own/x")).st_uid, BASE)

    def test_it_sees_what_the_world_sees(self):
        self.begin("echo ready; read")
        result = self.enter("cd ../../..; echo *; echo /proc/self/fd/[3-9]*; echo /etc/*")
        self.assertEqual(result.stdout.split()[:8], ["bin", "dev", "lib", "lib64", "own", "proc", "usr", "/proc/self/fd/3"])
        self.assertTrue(result.stdout.endswith("/etc/*\n"))

    def test_namespaces_below_are_not_taken_for_the_world(self):
        first = self.begin("echo $(readlink /proc/self/ns/pid); exec unshare --pid --fork --mount-proc sh -c 'read x'")
        self.wait_until(lambda: len(self.members()) >= 3)
        self.assertEqual(self.enter("readlink /proc/self/ns/pid").stdout.split(), first)

    def test_other_ids_are_refused(self):
        self.begin("echo ready; read")
        result = self.enter("echo ran", base=BASE - 65536)
        self.assertEqual((result.returncode, result.stdout), (125, ""))
        self.assertIn("no world with these user ids", result.stderr)

    def test_processes_of_the_host_are_no_world(self):
        process = subprocess.Popen(["sleep", "100"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        with open(self.group + "/cgroup.procs", "w") as file:
            file.write(str(process.pid))
        self.assertEqual(self.enter("echo ran").returncode, 125)

    def test_it_ends_with_what_started_it(self):
        self.begin("echo ready; read")
        process = subprocess.Popen([JAILER, "--uid-base", str(BASE), "--enter", self.group, "--", "/usr/bin/bash", "-c", "echo $$; sleep 1000"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        inner = process.stdout.readline().strip()
        process.kill()
        process.wait()
        self.wait_until(lambda: self.enter(f"kill -0 {inner}").returncode != 0)


class Refusals(JailerCase):
    def test_options(self):
        self.refused("unknown option --nothing", "--nothing")
        result = subprocess.run([JAILER, "--uid-base", str(BASE), "--bind", "/usr"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (125, "atoll-jailer: --bind lacks a value\n"))
        self.refused("no command", command=())
        self.refused("relative component", "--bind", "/usr", "/a/../b")
        self.refused("relative component", "--bind", "/usr", "/./b")
        self.refused("empty or relative", "--bind", "/usr", "/a//b")
        self.refused("absolute path", "--bind", "/usr", "a")
        self.refused("needs a size", "--tmpfs", "/tmp", "0")
        self.refused("not a number", "--tmpfs", "/tmp", "1x")
        self.refused("--limit stack", "--limit", "stack", "1")
        for base in (0, 65535, 65537, 4294901760):
            self.refused("--uid-base", base=base, script="echo ran")

    def test_sources(self):
        self.refused("No such file", "--bind", self.path("absent"), "/x")
        os.symlink("/usr", self.path("link"))
        self.refused("neither a directory nor a regular file", "--bind", self.path("link"), "/x")
        os.mkfifo(self.path("fifo"))
        self.refused("neither a directory nor a regular file", "--bind", self.path("fifo"), "/x")

    def test_target_in_a_tree_is_not_made_and_not_followed(self):
        self.folder("data")
        os.symlink("/usr", self.path("data", "link"))
        self.refused("/data/new", "--bind", self.path("data"), "/data", "--bind", "/usr", "/data/new")
        self.refused("/data/link", "--bind", self.path("data"), "/data", "--bind", "/usr", "/data/link/x")
        self.refused("/data/link", "--bind", self.path("data"), "/data", "--bind", "/usr", "/data/link")
        self.assertEqual(os.listdir(self.path("data")), ["link"])

    def test_file_system_that_cannot_be_mapped(self):
        self.refused("idmapped", *SYSTEM, "--mapped", "/proc/sys", "/x")

    def test_control_group_that_is_not_there(self):
        self.refused("No such file", *SYSTEM, "--cgroup", self.path("absent"))

    def test_limit_above_the_present_one(self):
        result = subprocess.run(["/usr/bin/prlimit", "--nofile=100:100", *self.line(*SYSTEM, "--limit", "nofile", "4096", script="echo ran")], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (125, ""))
        self.assertIn("not permitted", result.stderr)

    def test_command_that_is_not_there(self):
        self.refused("/absent: No such file", *SYSTEM, command=("/absent",))

    def test_caller_without_privileges(self):
        program = self.path("jailer")
        shutil.copy(JAILER, program)
        os.chmod(program, 0o755)
        result = subprocess.run([program, "--uid-base", str(BASE), "--", "/bin/true"], user=65534, group=65534, extra_groups=[], capture_output=True, text=True)
        self.assertEqual(result.returncode, 125)
        self.assertIn("only root of the host", result.stderr)

    def test_nothing_is_left_mounted(self):
        with open("/proc/self/mountinfo") as file:
            before = file.read()
        self.folder("data")
        self.bash("true", "--mapped", self.path("data"), "/data", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "4096")
        self.refused("No such file", "--tmpfs", "/tmp", "4096", "--bind", self.path("absent"), "/x")
        with open("/proc/self/mountinfo") as file:
            self.assertEqual(file.read(), before)


if __name__ == "__main__":
    unittest.main()
