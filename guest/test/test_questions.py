"""What code asks of whoever runs it: input(), getpass and reads of standard input."""
import os
import unittest

from agent_case import AgentCase, GUEST

KERNELS = os.path.join(GUEST, "kernels")
JAVA = os.path.join(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"
NOBODY = "stdin is not available in run_code; pass data as a file or variable"


class PythonQuestionsTest(AgentCase):
    def setUp(self):
        super().setUp()
        self.context = self.client.context()

    def ask(self, code, *answers):
        return self.context.ask(code, *answers)

    def test_a_question_is_asked_and_the_code_goes_on_with_the_answer(self):
        cell, asked = self.ask("print('before')\nname = input('name? ')\nprint('hello', name)", "Zoë 🎈")
        self.assertEqual((asked[0].prompt, asked[0].password), ("name? ", False))
        self.assertEqual(asked[0].before.stdout, "before\n")
        self.assertEqual((cell.stdout, cell.error), ("hello Zoë 🎈\n", None))
        self.assertEqual(self.context.run("name").text, "'Zoë 🎈'")

    def test_only_code_that_was_begun_so_may_ask(self):
        self.assertEqual(self.context.asks, 1)
        self.ask("input()", "one")
        error = self.context.run("input('again? ')").error
        self.assertEqual((error["name"], error["value"]), ("EOFError", NOBODY))

    def test_each_question_gets_its_own_answer(self):
        cell, asked = self.ask("[input(f'{i}? ') for i in range(3)]", "a", "", "c")
        self.assertEqual(cell.text, "['a', '', 'c']")
        self.assertEqual([question.prompt for question in asked], ["0? ", "1? ", "2? "])
        self.assertEqual(len({question.number for question in asked}), 3)

    def test_the_end_of_the_input_is_an_error_as_anywhere(self):
        cell, _ = self.ask("input('? ')", None)
        self.assertEqual((cell.error["name"], cell.error["value"]), ("EOFError", "EOF when reading a line"))
        self.assertEqual(cell.error["traceback"][1], '  File "<cell 1>", line 1, in <module>')
        self.assertEqual(len([line for line in cell.error["traceback"] if "File" in line]), 1)

    def test_a_password_is_marked_and_printed_nowhere(self):
        cell, asked = self.ask("import getpass\nsecret = getpass.getpass()\nlen(secret)", "hunter2")
        self.assertEqual((asked[0].prompt, asked[0].password), ("Password: ", True))
        self.assertEqual(cell.text, "7")
        everything = self.context.run("print(In, Out, _, globals().get('_i'), get_ipython().__dict__)").stdout
        self.assertNotIn("hunter2", everything + cell.stdout + cell.stderr + repr(cell.frames))

    def test_standard_input_is_read_by_lines(self):
        cell, _ = self.ask("import sys\n(sys.stdin.readline(), sys.stdin.readline(2), sys.stdin.readline(), sys.stdin.readline())", "one", "abcd", None)
        self.assertEqual(cell.text, "('one\\n', 'ab', 'cd\\n', '')")
        self.assertEqual(self.ask("[line for line in sys.stdin]", "x", "y", None)[0].text, "['x\\n', 'y\\n']")
        self.assertEqual(self.ask("sys.stdin.read()", "x", "y", None)[0].text, "'x\\ny\\n'")
        self.assertEqual(self.ask("sys.stdin.read(3), sys.stdin.read(1)", "abcd")[0].text, "('abc', 'd')")

    def test_what_stands_for_standard_input_is_read_instead(self):
        cell, _ = self.ask("import io, sys\nown, sys.stdin = sys.stdin, io.StringIO('mine\\n')\ntry: line = input()\nfinally: sys.stdin = own\nline")
        self.assertEqual(cell.text, "'mine'")

    def test_an_interrupt_ends_the_waiting(self):
        for _ in range(20):
            self.context.begin("input('? ')", answers=1)
            late = self.context.question()
            self.client.send(self.context.channel, "Interrupt")
            self.assertEqual(self.context.end().error["name"], "KeyboardInterrupt")
            self.context.answer(late, "too late")
            self.assertEqual(self.ask("input('? ')", "in time")[0].text, "'in time'")

    def test_an_answer_to_another_question_is_dropped(self):
        self.context.begin("input('? ')", answers=1)
        question = self.context.question()
        for number in (0, question.number - 1, question.number + 1, 4294967295):
            self.context.answer(question._replace(number=number), "wrong")
        self.context.answer(question, "right")
        self.assertEqual(self.context.end().text, "'right'")

    def test_answers_that_nobody_asked_for_do_no_harm(self):
        self.context.answer(NOTHING, "idle")
        self.assertEqual(self.context.run("1").text, "1")
        self.context.begin("import time\ntime.sleep(0.2)\n2", answers=1)
        self.context.answer(NOTHING, "busy")
        self.assertEqual(self.context.end().text, "2")
        self.client.send(self.context.channel, "Answer", execution=99, number=1, text=b"other")
        self.assertEqual(self.ask("input()", "x" * 32768)[0].text, repr("x" * 32768))

    def test_threads_ask_too(self):
        code = "import asyncio\nawait asyncio.gather(*(asyncio.to_thread(input, f'{i}? ') for i in range(3)))"
        self.context.begin(code, answers=1)
        for _ in range(3):
            question = self.context.question()
            self.context.answer(question, question.prompt[0] * 2)
        self.assertEqual(self.context.end().text, "['00', '11', '22']")

    def test_a_thread_that_still_asks_when_its_cell_has_ended_is_told_so(self):
        code = ("import threading\nerrors = []\ndef ask():\n    try: input('? ')\n    except EOFError as e: errors.append(str(e))\n"
                "thread = threading.Thread(target=ask); thread.start()")
        self.context.begin(code, answers=1)
        self.context.end()
        cell = self.context.run("thread.join()\nerrors")
        self.assertEqual(cell.text, repr([NOBODY]))
        self.assertEqual(self.ask("input()", "fine")[0].text, "'fine'")

    def test_forked_children_ask_nobody(self):
        code = ("import os\npid = os.fork()\nif pid == 0:\n    try: input()\n    except EOFError: os._exit(7)\n    os._exit(1)\n"
                "os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])")
        self.assertEqual(self.ask(code)[0].text, "7")

    def test_a_question_that_waits_is_asked_again_after_a_restore(self):
        self.context.begin("input('? ')", answers=1)
        first = self.context.question()
        self.client.send(0, "Quiesce")
        self.client.expect(0, "Quiesced")
        self.client.send(0, "Thaw", restored=1, seed=b"seed", env=[{"name": "AFTER", "value": "1"}])
        again = self.context.question()
        self.client.expect(0, "Thawed")
        self.assertEqual((again.number, again.prompt), (first.number, first.prompt))
        self.context.answer(again, "on")
        self.assertEqual(self.context.end().text, "'on'")
        self.assertEqual(self.context.run("import os; os.environ['AFTER']").text, "'1'")

    def test_a_long_prompt_begins_in_the_output(self):
        self.context.begin("input('a' * 5000 + 'b' * 4000)", answers=1)
        question = self.context.question()
        self.assertEqual((question.prompt, question.before.stdout), ("b" * 4000, "a" * 5000))
        self.context.answer(question, "")
        self.assertEqual(self.context.end().text, "''")

    def test_scripts_ask_as_cells_do(self):
        with open(self.path("script.py"), "w") as out:
            out.write("name = input('who? ')\nprint('hi', name)\n")
        cell, asked = self.ask(f"get_ipython().run_script({self.path('script.py')!r}, [])", "me")
        self.assertEqual((asked[0].prompt, cell.stdout), ("who? ", "hi me\n"))

    def test_the_list_of_channels_says_who_asks(self):
        infos = self.channels()
        self.assertEqual([info.get("asks", 0) for info in infos], [1])

    def channels(self):
        self.client.send(0, "GetChannels")
        return self.client.expect(0, "Channels").channels


class OtherKernelsTest(AgentCase):
    """Lines of standard input in other languages; their prompts are output like any other. QuestionsIT has those of JavaScript."""

    extra_config = (f"kernel.bash=/bin/bash {KERNELS}/bash/kernel.sh\n"
                    f"kernel.java={JAVA} @{KERNELS}/java/options -cp {GUEST}/target/kernels/java/kernel.jar dev.atoll.kernel.Kernel\n")

    def check_lines(self, context, code):
        cell, asked = context.ask(code, "one", "two ü", None)
        self.assertEqual((self.printed(cell, asked), cell.error), ("[one]\n[two ü]\nend\n", None))
        self.assertEqual({(question.prompt, question.password) for question in asked}, {("", False)})
        self.assertIn(NOBODY, context.run(code).error["value"])
        for _ in range(3):
            context.begin(code, answers=1)
            late = context.question()
            self.client.send(context.channel, "Interrupt")
            self.assertEqual(context.end().error["name"], "Interrupted")
            context.answer(late, "late")
        self.assertEqual(self.printed(*context.ask(code, "x", None)), "[x]\nend\n")
        self.check_restore(context, code)

    def printed(self, cell, asked):
        return "".join(question.before.stdout for question in asked) + cell.stdout

    def check_restore(self, context, code):
        context.begin(code, answers=1)
        first = context.question()
        self.client.send(0, "Quiesce")
        self.client.expect(0, "Quiesced")
        self.client.send(0, "Thaw", restored=1, seed=b"seed")
        self.client.expect(0, "Thawed")
        again = context.question()
        self.assertEqual(again.number, first.number)
        context.answer(again, None)
        self.assertEqual(context.end().stdout, "end\n")

    def test_java_asks(self):
        context = self.client.context("java")
        self.assertEqual(context.asks, 1)
        self.check_lines(context, (
            'import java.util.Scanner;\nvar in = new Scanner(System.in);\n'
            'while (in.hasNextLine()) { System.out.println("[" + in.nextLine() + "]"); }\nSystem.out.println("end");'))
        cell, asked = context.ask('IO.readln("name? ")', "Ada")
        self.assertEqual((self.printed(cell, asked), cell.text), ("name? ", '"Ada"'))

    def test_bash_says_that_it_cannot_ask(self):
        self.assertEqual(self.client.context("bash").asks, 0)


NOTHING = __import__("client").Question(1, "", False, None)

if __name__ == "__main__":
    unittest.main()
