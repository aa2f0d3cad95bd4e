"""The environment variables of a kernel: those of the last thaw, of its context, and of one execution."""
import os


def pairs(texts):
    return dict(text.partition("=")[::2] for text in texts)


def see_processors(count):
    """Lets this process and those it starts see so many: the agent may tell only those that it starts itself, and a template's kernel runs already."""
    if count.isdigit() and int(count) > 0 and hasattr(os, "sched_setaffinity"):
        try:
            os.sched_setaffinity(0, range(min(int(count), 1024)))
        except OSError:
            pass  # It sees what there is.


class Variables:
    def __init__(self):
        self.thaw = {}
        self.context = {}
        self.execution = {}

    def open(self, thaw, context):
        self.context = pairs(text for text in context if not text.startswith("="))
        self.replace(thaw)
        os.environ.update(self.context)

    def replace(self, thaw):
        """Sets the variables of a thaw in place of those of the thaw before; the context's own win."""
        for name in self.thaw:
            if name not in self.context:
                os.environ.pop(name, None)
        self.thaw = pairs(thaw)
        see_processors(self.thaw.get("ATOLL_CPUS", ""))
        for name, value in self.thaw.items():
            if name not in self.context:
                os.environ[name] = value

    def lend(self):
        """Sets the variables of this execution alone and returns what they hide."""
        hidden = {name: os.environ.get(name) for name in self.execution}
        os.environ.update(self.execution)
        self.execution = {}
        return hidden

    def take_back(self, hidden):
        for name, value in hidden.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
