"""The shell object of notebooks: commands, magics and help, as far as agents and people use them."""
import os
import re
import subprocess
import sys
import time

from atoll_kernel import notebook, process
from atoll_kernel.formatters import DisplayFormatter, forms

BRACES = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|\$\$|\$([A-Za-z_]\w*)")
SHELL_WORDS = frozenset(("cat", "cp", "head", "ls", "ll", "mkdir", "mv", "rm", "rmdir", "tail", "touch", "which"))
NOTHING = frozenset(("autoreload", "autosave", "colors", "config", "gui", "load_ext", "matplotlib", "precision", "pylab", "reload_ext", "unload_ext",
                     "xmode"))
SHOWN_AS = {"html": "text/html", "HTML": "text/html", "markdown": "text/markdown", "latex": "text/latex", "svg": "image/svg+xml", "SVG": "image/svg+xml",
            "javascript": "application/javascript", "js": "application/javascript"}
INTERPRETERS = {"bash": ["bash"], "sh": ["sh"], "shell": ["bash"], "perl": ["perl"], "ruby": ["ruby"], "node": ["node"], "python": [sys.executable],
                "python3": [sys.executable], "python2": ["python2"]}


class UsageError(Exception):
    """A magic that is not known here, or that was called in a way it does not take."""


class Lines(list):
    """The output of a command, line by line."""

    @property
    def l(self):
        return list(self)

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)


class Events:
    """Where libraries register to be told of cells; matplotlib does, and needs nothing from it here."""

    def register(self, event, function):
        pass

    unregister = register


class Shell:
    def __init__(self):
        self.events = Events()
        self.display_formatter = DisplayFormatter()
        self.config = {}
        self.colors = "NoColor"
        self.previous_directory = None

    @property
    def user_ns(self):
        return notebook.kernel.namespace

    @property
    def execution_count(self):
        return notebook.kernel.cells

    def forms(self, value):
        """What user code has registered for the type of a value."""
        return forms(self.display_formatter.formatters, value)

    # Commands.

    def expanded(self, text):
        """Puts in Python's values for {expression} and $name; a text that is not meant so stays as it is."""
        def value(match):
            if match[0] in ("{{", "}}", "$$"):
                return match[0][0]
            if match[1] is not None:
                return str(eval(match[1], self.user_ns))
            return str(self.user_ns[match[2]]) if match[2] in self.user_ns else match[0]
        try:
            return BRACES.sub(value, text)
        except Exception:
            return text

    def system(self, command):
        """Runs a command; what it prints is output of the cell."""
        self.user_ns["_exit_code"] = run(["bash", "-c", self.expanded(command)])

    def getoutput(self, command):
        process.flush()
        done = subprocess.run(["bash", "-c", self.expanded(command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.user_ns["_exit_code"] = done.returncode
        return Lines(done.stdout.decode("utf-8", "replace").splitlines())

    # Magics.

    def run_line_magic(self, name, line, **options):
        if name in NOTHING:
            return None
        if name in SHELL_WORDS:
            return self.system(("ls -l" if name == "ll" else name) + " " + line)
        method = getattr(self, "line_" + name, None)
        if method is None:
            raise UsageError(f"there is no %{name} here; there are " + known(self, "line_", "%", SHELL_WORDS))
        return method(line if name in ("time", "timeit") else self.expanded(line))

    def run_cell_magic(self, name, line, cell):
        if name in SHOWN_AS:
            return notebook.display({SHOWN_AS[name]: cell.strip("\n")}, raw=True)
        if name in INTERPRETERS:
            return self.script(INTERPRETERS[name], cell)
        method = getattr(self, "cell_" + name, None)
        if method is None:
            raise UsageError(f"there is no %%{name} here; there are " + known(self, "cell_", "%%", {*INTERPRETERS, *SHOWN_AS}))
        return method(line, cell)

    def magic(self, text):
        name, _, rest = text.lstrip("%").partition(" ")
        return self.run_line_magic(name, rest)

    def run_cell(self, source, **options):
        return notebook.kernel.run(source)

    def explain(self, name, detailed=False):
        from atoll_kernel import explaining
        print(explaining.explain(self, name, detailed))

    def line_pip(self, line):
        status = run([sys.executable, "-m", "pip", *split(line)])
        # What was installed a moment ago is found by the next import.
        import importlib
        importlib.invalidate_caches()
        if status != 0:
            raise UsageError(f"pip ended with exit code {status}")

    line_pip3 = line_pip

    def line_conda(self, line):
        raise UsageError("there is no conda here; %pip install works")

    line_mamba = line_conda

    def line_cd(self, line):
        target = " ".join(split(line)) or "~"
        target = self.previous_directory or "." if target == "-" else os.path.expanduser(target)
        before = os.getcwd()
        os.chdir(target)
        self.previous_directory = before
        print(os.getcwd())

    def line_pwd(self, line):
        return os.getcwd()

    def line_env(self, line):
        if not line:
            return dict(os.environ)
        name, separator, value = line.partition("=") if "=" in line else line.partition(" ")
        if not separator:
            return os.environ.get(name.strip())
        os.environ[name.strip()] = value.strip()
        print(f"env: {name.strip()}={value.strip()}")
        return None

    line_set_env = line_env

    def line_time(self, line):
        return self.timed(line)

    def cell_time(self, line, cell):
        if line:
            notebook.kernel.run(line)
        return self.timed(cell)

    def line_timeit(self, line):
        from atoll_kernel import timing
        return timing.timeit(line, None, self.user_ns)

    def cell_timeit(self, line, cell):
        from atoll_kernel import timing
        return timing.timeit(line, cell, self.user_ns)

    def line_debug(self, line):
        raise UsageError(process.NO_DEBUGGER)

    line_pdb = line_debug

    def timed(self, code):
        wall, cpu = time.perf_counter(), os.times()
        try:
            return notebook.kernel.run(code)
        finally:
            now = os.times()
            user, system = now.user - cpu.user, now.system - cpu.system
            print(f"CPU times: user {duration(user)}, sys: {duration(system)}, total: {duration(user + system)}")
            print(f"Wall time: {duration(time.perf_counter() - wall)}")

    def line_system(self, line):
        return self.getoutput(line)

    line_sx = line_system

    def line_run(self, line):
        words = split(line)
        if not words:
            raise UsageError("%run needs the name of a script")
        self.run_script(words[0], words[1:])

    def run_script(self, path, arguments=()):
        """Runs a file as `python file` would, in this process."""
        from atoll_kernel import scripts
        scripts.run(notebook.kernel, path, list(arguments))

    def line_who(self, line):
        print("   ".join(names(self.user_ns)) or "no variables yet")

    def line_whos(self, line):
        for name in names(self.user_ns):
            print(f"{name:<20} {type(self.user_ns[name]).__name__:<16} {shortened(repr(self.user_ns[name]))}")

    def line_reset(self, line):
        for name in [name for name in self.user_ns if not (name.startswith("__") and name.endswith("__"))]:
            del self.user_ns[name]
        notebook.kernel.history.begin_anew()

    def line_lsmagic(self, line):
        print(known(self, "line_", "%", SHELL_WORDS) + "\n" + known(self, "cell_", "%%", {*INTERPRETERS, *SHOWN_AS}))

    def cell_script(self, line, cell):
        self.script(split(line), cell)

    def cell_writefile(self, line, cell):
        words = split(line)
        path = os.path.expanduser(words[-1]) if words else ""
        if not path:
            raise UsageError("%%writefile needs the name of a file")
        append = "-a" in words[:-1]
        with open(path, "a" if append else "w") as file:
            file.write(cell.lstrip("\n"))
        print(("Appended to " if append else "Wrote ") + path)

    cell_file = cell_writefile

    def cell_capture(self, line, cell):
        from atoll_kernel import explaining
        captured = explaining.Captured()
        with captured:
            notebook.kernel.run(cell)
        words = [word for word in split(line) if not word.startswith("-")]
        if words:
            self.user_ns[words[0]] = captured

    def script(self, command, cell):
        status = run(command, cell.lstrip("\n").encode())
        if status != 0:
            raise subprocess.CalledProcessError(status, " ".join(command))


def run(command, text=None):
    """Runs a program that shares the cell's output; its exit code."""
    process.flush()
    if text is None:
        return subprocess.run(command, stdin=subprocess.DEVNULL).returncode
    return subprocess.run(command, input=text).returncode


def split(line):
    import shlex
    return shlex.split(line)


def known(shell, prefix, sign, more):
    found = {name[len(prefix):] for name in dir(shell) if name.startswith(prefix)}
    return ", ".join(sign + name for name in sorted(found | set(more)))


def names(namespace):
    return sorted(name for name in namespace if not name.startswith("_") and name not in ("In", "Out"))


def shortened(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def duration(seconds, precision=3):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.{precision}g} {unit}"
    return f"{seconds * 1e9:.{precision}g} ns"


# By this name libraries, rich for one, know that what they display is shown as in a notebook.
Shell.__name__ = Shell.__qualname__ = "ZMQInteractiveShell"
SHELL = Shell()
