"""Language contexts and the Python kernel."""
import os
import time
import unittest

from agent_case import AgentCase


class ContextTest(AgentCase):
    def setUp(self):
        super().setUp()
        self.context = self.client.context()

    def run_code(self, code, **options):
        return self.context.run(code, **options)

    def test_last_expression_is_the_result_and_state_stays(self):
        self.assertEqual(self.run_code("x = 20\nx + 1").text, "21")
        self.assertEqual(self.run_code("x * 2").text, "40")
        self.assertEqual(self.run_code("_").text, "40")
        self.assertIsNone(self.run_code("None").result)
        self.assertIsNone(self.run_code("x = 1").result)
        self.assertIsNone(self.run_code("").result)

    def test_output_comes_before_done_and_in_order(self):
        cell = self.run_code("import subprocess, sys\nprint('one')\nsubprocess.run(['echo', 'two'])\nprint('err', file=sys.stderr)\nprint('three', end='')\n5")
        self.assertEqual((cell.stdout, cell.stderr), ("one\ntwo\nthree", "err\n"))
        names = [frame.name for frame in cell.frames]
        self.assertEqual(names[-2:], ["Result", "Done"])
        self.assertEqual({frame.execution for frame in cell.frames}, {self.context.executions})

    def test_offsets_start_anew_with_each_execution(self):
        self.run_code("print('x' * 100)")
        self.assertEqual(self.run_code("print('y')").frames[0].offset, 0)

    def test_output_streams_while_code_runs(self):
        self.context.begin("import time\nprint('now')\ntime.sleep(1)")
        began = time.monotonic()
        self.client.expect(self.context.channel, "Data")
        self.assertLess(time.monotonic() - began, 0.8)
        self.context.end()

    def test_bytes_that_are_not_text_stay_intact(self):
        cell = self.run_code("import sys\nn = sys.stdout.buffer.write(bytes(range(256)))")
        self.assertEqual(cell.stdout.encode("utf-8", "surrogateescape"), bytes(range(256)))
        self.assertEqual(self.run_code("print('\\ud800')").stdout, "\\ud800\n")

    def test_errors_show_only_the_users_lines(self):
        self.run_code("def f(x):\n    return 1 / x")
        error = self.run_code("f(0)").error
        self.assertEqual((error["name"], error["value"]), ("ZeroDivisionError", "division by zero"))
        text = "\n".join(error["traceback"])
        self.assertIn('File "<cell 1>", line 2, in f', text)
        self.assertIn("return 1 / x", text)
        self.assertNotIn("kernel.py", text)
        self.assertEqual(self.run_code("1").text, "1")

    def test_what_an_interrupted_execution_started_is_gone_when_it_is_done_once_more(self):
        pid_file = self.path("pid")
        self.context.begin("import subprocess, time\n"
                           f"subprocess.Popen(['setsid', 'sh', '-c', 'trap \"\" INT TERM; (setsid sleep 998 & echo $! > {pid_file}.new; mv {pid_file}.new {pid_file})'])\n"
                           "time.sleep(600)")
        deadline = time.monotonic() + 20
        while not self.read("pid") and time.monotonic() < deadline:
            time.sleep(0.02)
        pid = int(self.read("pid"))
        self.client.send(self.context.channel, "Interrupt")
        first = self.context.end().done
        self.assertEqual((first.name, first.reason), ("Done", 4), "it promises another one")
        os.kill(pid, 0)
        self.client.send(self.context.channel, "Signal", number=9, tree=1)
        second = self.context.end().done
        self.assertEqual((second.execution, second.reason), (first.execution, 0))
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        self.assertEqual(self.run_code("1 + 1").text, "2")

    def test_chained_errors_and_syntax_errors(self):
        text = "\n".join(self.run_code("try:\n    1/0\nexcept Exception as e:\n    raise ValueError('two') from e").error["traceback"])
        self.assertIn("direct cause", text)
        self.assertNotIn("kernel.py", text)
        error = self.run_code("def (:").error
        self.assertEqual(error["name"], "SyntaxError")
        self.assertIn('  File "<cell 2>", line 1', error["traceback"])

    def test_exit_ends_the_execution_only(self):
        error = self.run_code("import sys; sys.exit(3)").error
        self.assertEqual((error["name"], error["value"]), ("SystemExit", "3"))
        self.assertEqual(self.run_code("exit()").error["name"], "SystemExit")
        self.assertEqual(self.run_code("1").text, "1")

    def test_input_is_refused_with_an_explanation(self):
        error = self.run_code("input('name? ')").error
        self.assertEqual(error["name"], "EOFError")
        self.assertIn("stdin is not available", error["value"])

    def test_top_level_await_shares_one_loop(self):
        self.run_code("import asyncio\nasync def work():\n    await asyncio.sleep(0.05)\n    return 5\ntask = asyncio.ensure_future(work()) if False else None")
        self.assertEqual(self.run_code("task = asyncio.get_running_loop().create_task(work())\nawait asyncio.sleep(0)\nloop = asyncio.get_running_loop()").error, None)
        self.assertEqual(self.run_code("await task").text, "5")
        self.assertEqual(self.run_code("loop is asyncio.get_running_loop() and await asyncio.sleep(0, True)").text, "True")
        text = "\n".join(self.run_code("async def bad():\n    raise KeyError('k')\nawait bad()").error["traceback"])
        self.assertNotIn("asyncio", text)

    def test_tasks_may_be_made_anywhere_in_a_cell(self):
        run = self.run_code
        run("async def work(i):\n    await asyncio.sleep(0.01)\n    return i * i")
        # The very cell that imports asyncio, with the await at its end alone.
        self.assertEqual(run("import asyncio\ntasks = [asyncio.create_task(work(i)) for i in range(3)]\nawait asyncio.gather(*tasks)").text, "[0, 1, 4]")
        self.assertIsNone(run("loop = asyncio.get_event_loop()\ntask = asyncio.create_task(work(5))\nfuture = loop.create_future()").error)
        self.assertEqual(run("loop is asyncio.get_running_loop(), await task").text, "(True, 25)")
        self.assertIsNone(run("asyncio.get_running_loop()\nawait asyncio.sleep(0)\nasyncio.get_running_loop()\nNone").error)

    def test_programs_that_run_a_loop_themselves_still_do(self):
        run = self.run_code
        run("import asyncio\nasync def work(i):\n    await asyncio.sleep(0.01)\n    return i * i")
        self.assertEqual(run("asyncio.run(work(3))").text, "9")
        self.assertEqual(run("asyncio.get_event_loop().run_until_complete(work(4))").text, "16")
        self.assertEqual(run("with asyncio.Runner() as runner:\n    r = runner.run(work(5))\nr, asyncio.run(work(1)), asyncio.get_running_loop() is not None").text,
                         "(25, 1, True)")
        self.assertEqual(run("loop = asyncio.new_event_loop()\nr = loop.run_until_complete(work(6))\nloop.close()\nr").text, "36")
        self.assertEqual(run("asyncio.get_event_loop().close()\n1").text, "1")
        self.assertEqual(run("await work(7)").text, "49")
        self.assertEqual(run("async def inner():\n    asyncio.run(work(1))\nawait inner()").error["name"], "RuntimeError")
        self.assertEqual(run("import threading\nr = []\nt = threading.Thread(target=lambda: r.append(asyncio.run(work(8))))\nt.start(); t.join()\nr").text, "[64]")

    def test_a_forked_child_does_not_share_the_loop(self):
        self.run_code("import asyncio, os\nasync def work(): return 5\nawait work()")
        cell = self.run_code("pid = os.fork()\nif pid == 0: os._exit(asyncio.run(work()))\nos.waitpid(pid, 0)[1] >> 8, await work()")
        self.assertEqual(cell.text, "(5, 5)")

    def test_context_variables_stay_set(self):
        self.run_code("import asyncio, contextvars\nv = contextvars.ContextVar('v')\nv.set(1);")
        self.run_code("await asyncio.sleep(0)\nv.set(v.get() + 1)\nNone")
        self.assertEqual(self.run_code("v.get(), await asyncio.sleep(0, 'x')").text, "(2, 'x')")

    def test_main_module_is_the_namespace(self):
        self.assertEqual(self.run_code("class A: pass\nimport pickle\npickle.loads(pickle.dumps(A())).__class__ is A").text, "True")
        self.assertEqual(self.run_code("__name__, __import__('sys').argv").text, "('__main__', [''])")
        self.assertEqual(self.run_code("import inspect\ndef g():\n    return 42\ninspect.getsource(g)").text, repr("def g():\n    return 42\n"))

    def test_interrupt_raises_in_the_execution(self):
        self.context.begin("import time\nprint('ready')\ntime.sleep(30)")
        self.client.expect(self.context.channel, "Data")
        self.client.send(self.context.channel, "Interrupt")
        self.assertEqual(self.context.end(5).error["name"], "KeyboardInterrupt")
        self.assertEqual(self.run_code("1+1").text, "2")

    def test_interrupt_right_behind_execute_is_not_lost(self):
        for _ in range(2000):
            self.context.begin("import time\ntime.sleep(30)")
            self.client.send(self.context.channel, "Interrupt")
            cell = self.context.end(5)
            self.assertEqual(cell.error["name"], "KeyboardInterrupt")
            self.assertNotIn("kernel.py", "\n".join(cell.error["traceback"]))

    def test_interrupt_of_an_idle_or_ended_execution_hits_nothing(self):
        self.client.send(self.context.channel, "Interrupt")
        self.assertEqual(self.run_code("1").text, "1")
        for i in range(200):
            self.context.begin("1")
            if i % 2:
                time.sleep(0.0005 * (i % 7) / 7)
            self.client.send(self.context.channel, "Interrupt")
            self.context.end(5)
            self.assertEqual(self.run_code("2").text, "2")

    def test_program_may_interrupt_itself(self):
        for code in ("import os, signal; os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(5)", "import _thread; _thread.interrupt_main(); import time; time.sleep(5)"):
            self.context.begin(code)
            self.assertEqual(self.context.end(4).error["name"], "KeyboardInterrupt")
        self.assertEqual(self.run_code("2").text, "2")

    def test_interrupt_reaches_children_and_awaits(self):
        self.context.begin("import subprocess\nprint('r')\nsubprocess.run(['sleep', '30'])")
        self.client.expect(self.context.channel, "Data")
        time.sleep(0.1)
        self.client.send(self.context.channel, "Interrupt")
        self.assertEqual(self.context.end(5).error["name"], "KeyboardInterrupt")
        self.context.begin("import asyncio\nprint('r')\nawait asyncio.sleep(30)")
        self.client.expect(self.context.channel, "Data")
        self.client.send(self.context.channel, "Interrupt")
        self.assertEqual(self.context.end(5).error["name"], "KeyboardInterrupt")

    def test_large_results_and_code_are_chunked(self):
        code = "x = '" + "a" * 300_000 + "'\nx"
        pieces = [code[i:i + 60000] for i in range(0, len(code), 60000)]
        self.context.executions += 1
        sent, limit = 0, 262144
        for i, piece in enumerate(pieces):
            while sent + 60100 > limit:
                limit = self.client.expect(self.context.channel, "Credit").limit
            self.client.send(self.context.channel, "Execute", execution=self.context.executions, chunk=piece.encode(), last=int(i == len(pieces) - 1))
            sent += 60100
        self.assertEqual(self.context.end().text, "'" + "a" * 300_000 + "'")
        self.assertIn("characters)", self.run_code("'b' * 3000000").text[-30:])

    def test_result_waits_for_credit(self):
        self.client.auto_credit = False
        self.context.begin("'c' * 900000")
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline:
            self.client.pump(0.05)
        self.assertLessEqual(self.client.received[self.context.channel], 262144)
        self.client.send(self.context.channel, "Credit", limit=10_000_000)
        self.assertEqual(len(self.context.end().text), 900002)

    def test_rich_values_and_display(self):
        cell = self.run_code("class H:\n    def _repr_html_(self): return '<b>h</b>'\n    def _repr_png_(self): return b'png'\n    def __repr__(self): return 'H'\n"
                             "display(H())\nprint('after')\nH()")
        bundle = {"text/plain": "H", "text/html": "<b>h</b>", "image/png": "cG5n"}
        self.assertEqual((cell.displays, cell.result), ([bundle], bundle))

    def test_failing_repr_is_an_error(self):
        error = self.run_code("class B:\n    def __repr__(self): raise RuntimeError('no repr')\nB()").error
        self.assertEqual((error["name"], error["value"]), ("RuntimeError", "no repr"))

    def test_limits_are_named_in_errors(self):
        self.assertEqual(self.run_code("raise OSError(28, 'No space left on device')").error["limit"], "disk")
        self.assertEqual(self.run_code("raise MemoryError").error["limit"], "memory")
        self.assertEqual(self.run_code("import errno\ndef fork(): raise BlockingIOError(errno.EAGAIN, 'x')\nfork()").error.get("limit"), "processes")
        self.assertNotIn("limit", self.run_code("raise BlockingIOError(11, 'x')").error)

    def test_forked_child_does_not_serve(self):
        cell = self.run_code("import os\npid = os.fork()\nif pid == 0: print('child')\nelse: os.waitpid(pid, 0)\n'end'")
        self.assertEqual((cell.text, cell.stdout), ("'end'", "child\n"))
        cell = self.run_code("pid = os.fork()\nif pid == 0: raise SystemExit(7)\nos.waitpid(pid, 0)[1] >> 8")
        self.assertEqual(cell.text, "7")

    def test_children_do_not_get_the_control_pipes(self):
        self.assertEqual(self.run_code("import subprocess\nsubprocess.check_output(['ls', '/proc/self/fd'], close_fds=False).split()").text, "[b'0', b'1', b'2', b'3']")

    def test_threads_may_print_later(self):
        self.run_code("import threading, time\ndef late():\n    time.sleep(0.2)\n    print('late')\nthreading.Thread(target=late).start()")
        frame = self.client.expect(self.context.channel, "Data", 3)
        self.assertEqual((frame.bytes, frame.execution), (b"late\n", 0))

    def test_end_of_the_kernel_is_told(self):
        cell = self.run_code("print('last words', flush=True)\nimport os\nos._exit(9)")
        self.assertEqual((cell.done.name, cell.done.code, cell.stdout), ("Exit", 9, "last words\n"))
        self.client.close(self.context.channel)

    def test_what_a_kernel_started_is_gone_when_its_end_is_told(self):
        cell = self.run_code(
            "import os, subprocess\n"
            "children = [subprocess.Popen(['sleep', '1000'], start_new_session=True).pid for _ in range(3)]\n"
            "print(*children, flush=True)\nos.kill(os.getpid(), 9)")
        self.assertEqual((cell.done.name, cell.done.signal), ("Exit", 9))
        for child in cell.stdout.split():
            self.assertFalse(os.path.exists(f"/proc/{child}"), child)
        self.client.close(self.context.channel)

    def test_garbage_on_the_control_pipe_ends_the_kernel(self):
        for garbage in (r"b'garbage!'", r"b'r\xff\xff\xff\xff'", r"b'R\0\0\0\1\0'", r"b'O\0\0\0\1\0'", r"b'D\0\0\0\0' * 2"):
            context = self.client.context()
            context.begin(f"import os, time\nos.write(4, {garbage})\ntime.sleep(30)")
            frames = self.client.until(context.channel, ("Exit",), 10)
            self.assertEqual(frames[-1].signal, 9, garbage)
            self.client.close(context.channel)

    def test_busy_context_refuses_without_closing(self):
        self.context.begin("import time; time.sleep(0.5); 5")
        self.client.send(self.context.channel, "Execute", execution=99, chunk=b"1", last=1)
        self.assertEqual(self.client.failed(self.context.channel), "BUSY")
        self.assertEqual(self.context.end().text, "5")

    def test_unknown_language_and_bad_directory_are_refused(self):
        client = self.client
        self.assertEqual(client.failed(client.open("OpenContext", language="cobol")), "NO_SUCH_LANGUAGE")
        self.assertEqual(client.failed(client.open("OpenContext", language="python", cwd="/no/such")), "NOT_FOUND")

    def test_context_has_directory_and_variables_of_its_own(self):
        context = self.client.context(cwd="/usr", env=[{"name": "CTX", "value": "1"}])
        self.assertEqual(context.run("import os\nos.getcwd(), os.environ['CTX'], os.environ['BASE']").text, "('/usr', '1', 'base')")

    def test_thaw_reseeds_and_replaces_variables(self):
        run = self.run_code
        run("import random, os, uuid, tempfile; random.seed(1)")
        expected = run("import random as r2; random.Random(1).random()").text
        self.thaw(seed=b"a" * 32, env=[{"name": "T1", "value": "x"}, {"name": "T2", "value": "y"}])
        self.assertNotEqual(run("random.random()").text, expected)
        self.assertEqual(run("os.environ['T1'] + os.environ['T2']").text, "'xy'")
        run("random.seed(1)")
        self.thaw(seed=b"b" * 32, env=[{"name": "T2", "value": "z"}])
        self.assertEqual(run("os.environ.get('T1'), os.environ['T2']").text, "(None, 'z')")
        self.assertEqual(self.client.run("sh", "-c", "echo $T1,$T2").stdout, b",z\n")
        self.assertEqual(self.client.context().run("import os; os.environ['T2']").text, "'z'")

    def test_programs_see_as_many_processors_as_the_sandbox_may_use(self):
        seen = "import os\nlen(os.sched_getaffinity(0))"
        for count in (1, 2):
            self.thaw(env=[{"name": "ATOLL_CPUS", "value": str(count)}])
            expected = str(min(count, len(os.sched_getaffinity(0))))
            self.assertEqual(self.run_code(seen).text, expected)
            self.assertEqual(self.client.context().run(seen).text, expected)
            self.assertEqual(self.client.run("nproc").stdout.decode().strip(), expected)

    def test_the_largest_file_is_that_of_the_disk_for_a_kernel_that_was_there_before_too(self):
        seen = "import resource\nresource.getrlimit(resource.RLIMIT_FSIZE)[0].bit_length()"
        for bits in (50, 52, 51):
            self.thaw(limits={"disk_bytes": 1 << bits})
            self.assertEqual(self.run_code(seen).text, str(bits + 1))
            self.assertEqual(self.client.context().run(seen).text, str(bits + 1))

    def test_busy_kernel_thaws_too(self):
        self.context.begin("import time, os, random\nrandom.seed(1)\nprint('go')\nend = time.time() + 1\nwhile time.time() < end: pass\nos.environ.get('T'), random.random() == 0.13436424411240122")
        self.client.expect(self.context.channel, "Data")
        self.thaw(seed=b"c" * 32, env=[{"name": "T", "value": "yes"}])
        self.assertEqual(self.context.end().text, "('yes', False)")
        self.assertEqual(self.run_code("1").text, "1")

    def thaw(self, **fields):
        self.client.send(0, "Quiesce")
        self.client.expect(0, "Quiesced")
        self.client.send(0, "Thaw", restored=1, wall_clock_nanos=time.time_ns(), **fields)
        self.client.expect(0, "Thawed")

    def test_idle_kernel_survives_sigint(self):
        pid = int(self.run_code("import os; os.getpid()").text)
        os.kill(pid, 2)
        self.assertEqual(self.run_code("1").text, "1")


if __name__ == "__main__":
    unittest.main()
