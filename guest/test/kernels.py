"""Plays the sessions in contract/ against a kernel; contract/FORMAT.md says how they are written."""
import os
import time

from agent_case import AgentCase

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contract")


class Step:
    """A cell and what must come of it, or a thaw."""

    def __init__(self, kind, argument):
        self.kind, self.argument, self.code, self.expected = kind, argument, "", {}
        self.env = []


def sessions(language):
    """The cases of a language: name and steps."""
    cases = []
    with open(os.path.join(FOLDER, language + ".txt"), encoding="utf-8") as file:
        for block in file.read().split("\n== "):
            name, _, body = block.removeprefix("== ").partition("\n")
            cases.append((name, steps("\n" + body)))
    return cases


def steps(text):
    found = []
    for part in text.split("\n-- ")[1:]:
        head, _, body = part.partition("\n")
        kind, _, argument = head.partition(" ")
        if kind in ("in", "thaw"):
            found.append(Step(kind, argument))
            found[-1].code = body
        elif kind == "repeat":
            found[-1].code = "\n".join([found[-1].code] * int(argument))
        elif kind == "env":
            found[-1].env.append(argument)
        else:
            found[-1].expected[kind] = (argument, body)
    # The last block of a case ends with the empty line before the next one.
    for step in found:
        step.code = step.code.rstrip("\n")
    return found


class KernelContract:
    """What holds for every kernel; a test case of one language adds its name and command."""

    language = None
    command = None
    # Names of the sessions to play; None for all.
    chosen = None

    @classmethod
    def setUpClass(cls):
        cls.extra_config = f"kernel.{cls.language}={cls.command}\n"

    def test_contract(self):
        for name, cells in sessions(self.language):
            if self.chosen is not None and name not in self.chosen:
                continue
            with self.subTest(name):
                self.play(cells)

    def play(self, cells):
        contexts = {}
        for step in cells:
            if step.kind == "thaw":
                self.thaw(step.argument)
                continue
            if step.argument not in contexts:
                contexts[step.argument] = self.client.context(self.language)
            context = contexts[step.argument]
            self.check(step, self.run_step(context, step))
            if "died" in step.expected:
                self.client.close(context.channel)
                del contexts[step.argument]
        for context in contexts.values():
            self.client.close(context.channel)

    def run_step(self, context, step):
        env = [dict(zip(("name", "value"), pair.split("=", 1))) for pair in step.env]
        context.begin(step.code, env)
        if "interrupt" not in step.expected:
            return context.end(60)
        first = self.client.expect(context.channel, "Data")
        time.sleep(0.1)
        self.client.send(context.channel, "Interrupt")
        cell = context.end(60)
        cell.stdout = first.bytes.decode() + cell.stdout
        return cell

    def check(self, step, cell):
        expected = step.expected
        message = f"{step.code[:200]}\n{cell.stdout[:500]}{cell.stderr[:500]}{cell.error}"
        if "stdout-length" in expected:
            self.assertEqual(len(cell.stdout.encode("utf-8", "surrogateescape")), int(expected["stdout-length"][0]), message)
        elif "stdout-hex" in expected:
            self.assertEqual(cell.stdout.encode("utf-8", "surrogateescape").hex(), expected["stdout-hex"][1].strip(), message)
        else:
            self.assertEqual(cell.stdout.rstrip("\n"), text(expected, "stdout"), message)
        if "stderr" in expected:
            self.assertEqual(cell.stderr.strip("\n"), text(expected, "stderr"), message)
        self.assertEqual(cell.text or "", text(expected, "value"), message)
        self.assertEqual("died" in expected, cell.done.name == "Exit", message)
        self.check_error(expected, cell, message)

    def check_error(self, expected, cell, message):
        if "error" not in expected:
            self.assertEqual("exit" in expected, cell.error is not None, message)
            return
        self.assertEqual((cell.error["name"], cell.error["value"]), (expected["error"][0], text(expected, "error")), message)
        trace = cell.error["traceback"]
        rest = iter(trace)
        for line in text(expected, "trace").split("\n") if "trace" in expected else ():
            self.assertIn(line, rest, "\n".join(trace))
        for internal in ("kernel", "__atoll", "/atoll/"):
            self.assertNotIn(internal, "\n".join(trace))

    def thaw(self, variable):
        name, _, value = variable.partition("=")
        self.client.send(0, "Quiesce")
        self.client.expect(0, "Quiesced")
        self.client.send(0, "Thaw", restored=1, wall_clock_nanos=time.time_ns(), seed=os.urandom(32), env=[{"name": name, "value": value}])
        self.client.expect(0, "Thawed")


def text(expected, part):
    return expected[part][1].strip("\n") if part in expected else ""
