"""Scripts that run in a context as `python script.py` would: as a main module with a file, beside its own modules, without the habits of notebooks."""
import atexit
import builtins
import linecache
import os
import sys
import types

NOTEBOOK_NAMES = ("display", "get_ipython")


def run(kernel, path, arguments):
    """Runs a script to its end; its variables are the context's afterwards."""
    with open(path, "rb") as file:
        source = file.read()
    linecache.checkcache(path)
    with Surroundings(kernel, path, arguments) as here:
        try:
            exec(compile(source, path, "exec", dont_inherit=True), here.module.__dict__)
        except SystemExit as exit:
            if exit.code is None or isinstance(exit.code, int):
                raise
            print(exit.code, file=sys.stderr)
            raise SystemExit(1) from None
        finally:
            here.end()


class Surroundings:
    """What a script finds around it, and what is put back after it."""

    def __init__(self, kernel, path, arguments):
        self.kernel = kernel
        self.folder = os.path.dirname(os.path.abspath(path))
        self.argv = [path, *arguments]
        self.module = types.ModuleType("__main__")
        self.module.__dict__.update(__file__=path, __builtins__=builtins, __cached__=None)
        self.exits = []
        self.threads = set()

    def __enter__(self):
        self.before = sys.modules["__main__"], sys.argv, sys.path[:], atexit.register
        self.names = {name: builtins.__dict__.pop(name) for name in NOTEBOOK_NAMES if name in builtins.__dict__}
        sys.modules["__main__"], sys.argv, sys.path[:1], atexit.register = self.module, self.argv, [self.folder], self.at_exit
        self.threads = self.running()
        self.modules = set(sys.modules)
        self.kernel.plain = True
        self.kernel.loop("take_back")
        return self

    def __exit__(self, *reason):
        sys.modules["__main__"], sys.argv, sys.path[:], atexit.register = self.before
        builtins.__dict__.update(self.names)
        self.kernel.plain = False
        self.forget_modules()
        self.kernel.namespace.update({name: value for name, value in self.module.__dict__.items() if not name.startswith("__")})

    def at_exit(self, function, *arguments, **options):
        """The kernel goes on after the script: what the script itself has registered is due at its own end. Libraries stay for the next one."""
        if getattr(function, "__module__", None) != "__main__":
            return self.before[3](function, *arguments, **options)
        self.exits.append((function, arguments, options))
        return function

    def end(self):
        """A program ends when its threads have, and then does what it wanted done at the end."""
        for thread in self.running() - self.threads:
            thread.join()
        while self.exits:
            function, arguments, options = self.exits.pop()
            function(*arguments, **options)

    def running(self):
        threading = sys.modules.get("threading")
        if threading is None:
            return set()
        return {thread for thread in threading.enumerate() if not thread.daemon and thread is not threading.main_thread()}

    def forget_modules(self):
        """The next run of a script finds its modules as they are then."""
        for name in set(sys.modules) - self.modules:
            file = getattr(sys.modules[name], "__file__", None)
            if isinstance(file, str) and os.path.abspath(file).startswith(os.path.join(self.folder, "")) and not is_library(file):
                del sys.modules[name]


def is_library(file):
    """A script may lie in the folder that packages were installed below."""
    return "site-packages" in file or "dist-packages" in file or file.startswith((os.path.join(sys.base_prefix, "lib"), os.path.dirname(__file__)))
