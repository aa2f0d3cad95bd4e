"""What the Python kernel takes over from notebooks: bundles, display(), commands, magics, help."""
import os
import unittest

from agent_case import AgentCase

MARK = "application/vnd.atoll.display+json"


class NotebookTest(AgentCase):
    def setUp(self):
        super().setUp()
        self.context = self.client.context(cwd=self.directory)

    def run_code(self, code, **options):
        return self.context.run(code, **options)

    def printed(self, code):
        cell = self.run_code(code)
        self.assertIsNone(cell.error, cell.error)
        return cell.stdout

    # Bundles.

    def test_every_form_that_an_object_offers_is_in_its_bundle(self):
        cell = self.run_code(
            "class All:\n"
            "    def __repr__(self): return 'all'\n"
            "    def _repr_html_(self): return '<i>x</i>'\n"
            "    def _repr_markdown_(self): return '*x*'\n"
            "    def _repr_svg_(self): return '<svg/>'\n"
            "    def _repr_latex_(self): return '$x$'\n"
            "    def _repr_png_(self): return b'png', {'width': 1}\n"
            "    def _repr_jpeg_(self): return b'jpeg'\n"
            "    def _repr_pdf_(self): return b'pdf'\n"
            "    def _repr_json_(self): return {'a': [1, None, 'ü']}\n"
            "All()")
        self.assertEqual(cell.result, {
            "text/plain": "all", "text/html": "<i>x</i>", "text/markdown": "*x*", "image/svg+xml": "<svg/>", "text/latex": "$x$",
            "image/png": "cG5n", "image/jpeg": "anBlZw==", "application/pdf": "cGRm", "application/json": {"a": [1, None, "ü"]}})

    def test_bundle_method_wins_and_failing_methods_offer_nothing(self):
        cell = self.run_code(
            "class B:\n"
            "    def __repr__(self): return 'b'\n"
            "    def _repr_html_(self): raise ValueError\n"
            "    def _repr_latex_(self): return None\n"
            "    def _repr_mimebundle_(self, include, exclude): return {'application/x+json': {'n': float('nan')}, 'text/plain': 'mine', 'a/b': object()}, {}\n"
            "B()")
        self.assertEqual(cell.result, {"text/plain": "mine", "application/x+json": {"n": None}})

    def test_a_failing_form_is_told_and_costs_the_others_nothing(self):
        cell = self.run_code(
            "class Fails:\n"
            "    def __repr__(self): return 'fails'\n"
            "    def _repr_html_(self): raise ValueError('no html')\n"
            "    def _repr_markdown_(self): return '*f*'\n"
            "Fails()")
        self.assertIsNone(cell.error, cell.error)
        self.assertEqual(cell.result, {"text/plain": "fails", "text/markdown": "*f*"})
        self.assertEqual(cell.stderr, "_repr_html_ of Fails failed: ValueError: no html\n")

    def test_too_large_forms_are_left_out_with_a_note(self):
        cell = self.run_code(
            "class Big:\n"
            "    def __repr__(self): return 'big'\n"
            "    def _repr_png_(self): return bytes(12_000_000)\n"
            "    def _repr_html_(self): return '<b/>'\n"
            "Big()")
        self.assertEqual(sorted(cell.result), ["text/html", "text/plain"])
        self.assertRegex(cell.text, r"^big\n\[image/png left out: 16.0 MB is more than the 10.5 MB .* write it to a file instead\]$")

    def test_display_shows_in_order_and_by_its_options(self):
        cell = self.run_code("print('a')\ndisplay(1, 'two')\nprint('b')\ndisplay({'text/html': '<p/>'}, raw=True)")
        self.assertEqual(cell.displays, [{"text/plain": "1"}, {"text/plain": "'two'"}, {"text/plain": "", "text/html": "<p/>"}])
        # What was printed before something is shown comes before it; what is printed after it may do so too.
        self.assertEqual((cell.frames[0].name, cell.stdout), ("Data", "a\nb\n"))

    def test_what_has_an_id_is_marked_with_it_and_so_is_what_replaces_it(self):
        cell = self.run_code("from IPython.display import update_display\nh = display(1, display_id='a')\nh.update(2)\nupdate_display(3, display_id='a')\n"
                             "display(4, display_id='a', update=True)\nh.display_id, display(5, display_id=True).display_id != 'a'")
        self.assertEqual([(shown["text/plain"], shown.get(MARK)) for shown in cell.displays[:4]], [
            ("1", {"id": "a"}), ("2", {"id": "a", "update": True}), ("3", {"id": "a", "update": True}), ("4", {"id": "a", "update": True})])
        self.assertEqual(cell.text, "('a', True)")
        self.assertEqual(self.run_code("display(1, update=True)").error["name"], "TypeError")

    def test_what_is_printed_after_a_clearing_comes_after_it(self):
        """Output and results take two ways through the agent; nothing printed later may be cleared with what came before."""
        cell = self.run_code("from IPython.display import clear_output\nfor i in range(200):\n    clear_output(wait=i % 2)\n    print(i)", timeout=60)
        order = [frame.name for frame in cell.frames if frame.name in ("Data", "Result")]
        self.assertEqual(order, ["Result", "Data"] * 200)
        self.assertEqual([shown[MARK] for shown in cell.displays[:2]], [{"clear": "now"}, {"clear": "next"}])

    def test_libraries_that_ask_for_a_notebook_find_one(self):
        cell = self.run_code("from pip._vendor.rich import print as show\nfrom pip._vendor.rich.table import Table\nt = Table('name')\nt.add_row('x')\nshow(t)")
        self.assertIsNone(cell.error, cell.error)
        self.assertEqual(len(cell.displays), 1)
        self.assertIn("<pre", cell.displays[0]["text/html"])
        cell = self.run_code("from pip._vendor.rich.progress import track\nfor i in track(range(3)): pass")
        self.assertEqual((cell.error, cell.stdout, cell.stderr), (None, "", ""))
        shown = [one for one in cell.displays if MARK in one]
        self.assertIn("100%", shown[-1]["text/html"])
        self.assertEqual({one[MARK]["id"] for one in shown}, {shown[0][MARK]["id"]})

    def test_ipython_display_is_there_without_ipython(self):
        if self.run_code("import importlib.metadata\nimportlib.metadata.version('ipython')").error is None:
            shown = "from atoll_kernel.ipython import HTML, Image, JSON, Markdown, Math, display\n"
        else:
            shown = "from IPython.display import HTML, Image, JSON, Markdown, Math, display\n"
        cell = self.run_code(shown + "display(HTML('<b/>'), Markdown('# x'), JSON({'a': 1}), Math('x^2'))\nImage(data=b'\\xff\\xd8jpeg')")
        self.assertIsNone(cell.error, cell.error)
        forms = [{mime: data for mime, data in shown.items() if mime != "text/plain"} for shown in cell.displays]
        self.assertEqual(forms, [{"text/html": "<b/>"}, {"text/markdown": "# x"}, {"application/json": {"a": 1}}, {"text/latex": "$\\displaystyle x^2$"}])
        self.assertEqual(list(cell.result), ["text/plain", "image/jpeg"])

    def test_display_of_an_installed_ipython_shows_here(self):
        cell = self.run_code("from IPython.display import display, HTML\nfrom IPython import get_ipython\ndisplay(HTML('<b/>'))\nget_ipython().execution_count")
        self.assertIsNone(cell.error, cell.error)
        self.assertEqual(cell.displays[0]["text/html"], "<b/>")
        self.assertEqual(cell.text, "1")

    def test_forms_may_be_registered_for_a_type(self):
        cell = self.run_code("class T:\n    def __repr__(self): return 't'\nget_ipython().display_formatter.formatters['text/html'].for_type(T, lambda t: '<t/>')\nT()")
        self.assertEqual(cell.result, {"text/plain": "t", "text/html": "<t/>"})

    def test_object_may_display_itself(self):
        cell = self.run_code("class S:\n    def _ipython_display_(self): display('self')\nS()")
        self.assertEqual((cell.displays, cell.result), ([{"text/plain": "'self'"}], None))

    # Values.

    def test_semicolon_hides_the_value(self):
        for code in ("5;", "x = 1; x;", "(\n5\n) ;  # no", "'ü'; "):
            self.assertIsNone(self.run_code(code).result, code)
        for code in ("5  # a; b", "';'", "1; 5", "{1: ';'}"):
            self.assertIsNotNone(self.run_code(code).result, code)

    def test_last_values_are_remembered(self):
        for value in "123":
            self.run_code(value)
        self.assertEqual(self.run_code("_, __, ___").text, "(3, 2, 1)")
        self.run_code("7;")
        self.assertEqual(self.run_code("_").text, "(3, 2, 1)")

    def test_what_was_run_and_given_is_listed(self):
        self.run_code("a = 5")
        self.run_code("a + 1")
        self.assertEqual(self.run_code("In[1:3], dict(Out), _i").text, "(['a = 5', 'a + 1'], {2: 6}, 'a + 1')")
        self.assertEqual(self.printed("%who"), "a\n")
        self.run_code("%reset")
        self.assertEqual(self.run_code("dict(Out), len(In)").text, "({}, 7)")

    def test_values_are_not_kept_for_ever(self):
        self.run_code("class V: pass\nimport gc\ncount = lambda: sum(isinstance(o, V) for o in gc.get_objects())")
        for _ in range(105):
            self.run_code("V()")
        self.assertEqual(self.run_code("count()").text, "100")
        for _ in range(5):
            self.run_code("bytes(20_000_000)")
        self.assertEqual(self.run_code("sum(isinstance(v, bytes) for v in Out.values())").text, "3")

    # Commands.

    def test_commands_run_and_see_variables(self):
        self.assertEqual(self.printed("print('before')\n!echo one\nprint('after')"), "before\none\nafter\n")
        self.assertEqual(self.printed("name = 'x y'\nn = [4]\n!echo $name {n[0] + 1} $HOME_NOT $$ | sed 's/[0-9]*$//'").split()[:3], ["x", "y", "5"])
        self.assertEqual(self.printed("!printf '%s\\n' a b | awk '{print $1 \"!\"}'"), "a!\nb!\n")
        self.assertEqual(self.printed("if True:\n    !echo in\n    x = 1\nprint(x)"), "in\n1\n")
        self.assertEqual(self.printed("!echo long \\\n  line\nprint('next')"), "long line\nnext\n")
        self.assertEqual(self.run_code("!exit 3\n_exit_code").text, "3")

    def test_output_of_a_command_is_a_list_of_lines(self):
        self.assertEqual(self.run_code("files = !printf 'b\\na\\n'\nsorted(files), files.s, files.n").text, "(['a', 'b'], 'b a', 'b\\na')")
        self.assertEqual(self.run_code("!!echo hi").text, "['hi']")

    def test_python_that_only_looks_like_commands_is_left_alone(self):
        self.assertEqual(self.run_code("s = '''\n!no\n%no\n'''\nx = (7\n% 4)\ns, x").text, "('\\n!no\\n%no\\n', 3)")
        self.assertIsNone(self.run_code("!true\ns = '''\n!no\n%no\n'''\nx = [7,\n8]").error)
        self.assertEqual(self.run_code("s").text, "'\\n!no\\n%no\\n'")

    def test_errors_keep_their_lines(self):
        error = self.run_code("!true\n%env A=1\n\n1/0").error
        self.assertEqual(error["name"], "ZeroDivisionError")
        self.assertIn('  File "<cell 1>", line 4, in <module>', error["traceback"])
        self.assertNotIn("kernels/python", "\n".join(error["traceback"]))
        self.assertEqual(self.run_code("!true\nx = = 1").error["name"], "SyntaxError")
        error = self.run_code("%%time\nx = 1\nx / 0").error
        self.assertIn('  File "<cell 3>", line 3, in <module>', error["traceback"])

    def test_interrupt_ends_a_command(self):
        self.context.begin("!echo started; sleep 60")
        self.client.expect(self.context.channel, "Data")
        self.client.send(self.context.channel, "Interrupt")
        self.assertEqual(self.context.end(20).error["name"], "KeyboardInterrupt")
        self.assertEqual(self.run_code("1").text, "1")

    # Magics.

    def test_cells_of_other_programs(self):
        self.assertEqual(self.printed("%%bash\nfor i in 1 2; do echo $i; done\necho end"), "1\n2\nend\n")
        self.assertEqual(self.run_code("%%sh\nexit 4").error["name"], "CalledProcessError")
        self.assertEqual(self.run_code("%%html\n<b>x</b>").displays, [{"text/plain": "", "text/html": "<b>x</b>"}])
        self.assertEqual(self.printed("%%writefile note.txt\nline 1\n\nline 3\n"), "Wrote note.txt\n")
        self.assertEqual(self.read("note.txt"), b"line 1\n\nline 3\n")

    def test_time(self):
        cell = self.run_code("%%time\nx = 6\nx * 7")
        self.assertEqual(cell.text, "42")
        self.assertRegex(cell.stdout, r"CPU times: user .*, sys: .*, total: .*\nWall time: .*s\n")
        self.assertEqual(self.run_code("%time x + 1").text, "7")
        self.assertRegex(self.printed("%timeit -x"), r"per loop \(mean ± std. dev. of 7 runs, [0-9,]+ loops each\)")

    def test_timeit_takes_its_options(self):
        cell = self.run_code("x = 1\nr = %timeit -n 5 -r2 -o x + 1\nr.loops, r.repeat, len(r.all_runs), r.best <= r.average <= r.worst")
        self.assertIn("2 runs, 5 loops each", cell.stdout)
        self.assertEqual(cell.text, "(5, 2, 2, True)")
        self.assertRegex(self.printed("%%timeit -n1 -r 1 y = [3]\ny.append(x)\nlen(y)"), "1 run, 1 loop each")
        self.assertEqual(self.printed("r = %timeit -q -o -n 1 -r 1 x"), "")

    def test_a_debugger_is_refused_with_a_clear_word(self):
        for code in ("%debug", "%pdb", "breakpoint()"):
            self.assertIn("nobody can type here", self.run_code(code).error["value"], code)

    def test_who_asks_for_a_password_is_told_at_once(self):
        error = self.run_code("import getpass\ngetpass.getpass()").error
        self.assertEqual(error["name"], "EOFError")
        self.assertIn("stdin is not available", error["value"])

    def test_directory_and_variables(self):
        os.mkdir(self.path("sub"))
        self.assertEqual(self.printed("%cd sub"), self.path("sub") + "\n")
        self.assertEqual(self.run_code("%cd -\n%pwd").text, repr(self.directory))
        self.assertEqual(self.printed("%env NEW=a b"), "env: NEW=a b\n")
        self.assertEqual(self.run_code("%env NEW").text, "'a b'")
        self.assertEqual(self.printed("!echo $NEW"), "a b\n")
        self.assertEqual(self.run_code("x = %env BASE\nx").text, "'base'")

    def test_what_notebooks_ask_of_their_surface_is_accepted(self):
        cell = self.run_code("%matplotlib inline\n%load_ext autoreload\n%autoreload 2\n%config InlineBackend.figure_format = 'retina'\n5")
        self.assertEqual((cell.text, cell.stdout, cell.error), ("5", "", None))

    def test_unknown_magic_is_told_with_those_there_are(self):
        error = self.run_code("%nonsense").error
        self.assertEqual(error["name"], "UsageError")
        self.assertRegex(error["value"], "there is no %nonsense here; there are .*%pip")

    def test_pip_is_that_of_this_python(self):
        for code in ("%pip --version", "pip list --help"):
            self.assertRegex(self.printed(code), "pip")
        self.assertEqual(self.run_code("%pip install --no-index no-such-package-at-all").error["name"], "UsageError")

    def test_capture(self):
        self.assertEqual(self.printed("%%capture kept\nprint('hidden')\ndisplay(1)"), "")
        self.assertEqual(self.run_code("kept.stdout, len(kept.outputs)").text, "('hidden\\n', 1)")

    # Scripts.

    def script(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return f"get_ipython().run_script({self.path(name)!r}, ['a', '-b'])"

    def test_a_script_is_a_program_of_its_own(self):
        self.script("beside.py", "value = 5\n")
        cell = self.run_code(self.script("main.py", "import sys, beside, pickle\nclass A: pass\nprint(__name__, __file__, sys.argv, beside.value)\n"
                                                    "print(pickle.loads(pickle.dumps(A())).__class__ is A, sys.path[0], 'display' in dir(__builtins__))\nkept = 1\n5 + 5\n"))
        path = self.path("main.py")
        self.assertEqual((cell.error, cell.result), (None, None))
        self.assertEqual(cell.stdout, f"__main__ {path} ['{path}', 'a', '-b'] 5\nTrue {self.directory} False\n")
        self.assertEqual(self.run_code("import sys\nsys.argv, sys.path[0], kept, __name__, 'beside' in sys.modules").text, "([''], '', 1, '__main__', False)")
        self.script("beside.py", "value = 'changed'\n")
        self.assertEqual(self.run_code(f"%run {path}").stdout.splitlines()[0].split()[-1], "changed")

    def test_errors_of_a_script_show_its_file(self):
        error = self.run_code(self.script("wrong.py", "def half(n):\n    return n / 0\n\nhalf(3)\n")).error
        path = self.path("wrong.py")
        self.assertEqual(error["traceback"][:3], ["Traceback (most recent call last):", f'  File "{path}", line 4, in <module>', "    half(3)"])
        self.assertNotIn("<cell", "\n".join(error["traceback"]))
        self.assertIn(f'  File "{path}", line 1', self.run_code(self.script("wrong.py", "x = = 1\n")).error["traceback"])

    def test_a_script_ends_as_a_program_does(self):
        self.assertEqual(self.run_code(self.script("end.py", "import sys\nsys.exit(3)\n")).error["value"], "3")
        cell = self.run_code(self.script("end.py", "import sys\nsys.exit('so it ends')\n"))
        self.assertEqual((cell.error["value"], cell.stderr), ("1", "so it ends\n"))
        cell = self.run_code(self.script("end.py", "import atexit, threading, time\natexit.register(print, 'not ours')\n"
                                                   "@atexit.register\ndef last(): print('last')\n"
                                                   "threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\nprint('main')\n"))
        self.assertEqual((cell.error, cell.stdout), (None, "main\nthread\nlast\n"))

    # Help.

    def test_help_on_names(self):
        self.run_code("def add(a, b=2):\n    '''Adds.'''\n    return a + b")
        for code in ("add?", "?add", "x = 1\nadd?"):
            out = self.printed(code)
            self.assertIn("Signature: add(a, b=2)", out)
            self.assertIn("Docstring: Adds.", out)
        self.assertIn("return a + b", self.printed("add??"))
        self.assertEqual(self.printed("nothing?"), "Object `nothing` not found.\n")

    # Interrupts that CPython would swallow.

    def test_interrupt_in_a_finalizer_is_not_lost(self):
        spin = "time.sleep(0) or [0 for _ in range(2000)]"
        codes = {
            "finalizer": f"class F:\n    def __del__(self):\n        {spin}\nwhile True: F()",
            "callback": f"class W: pass\nwhile True:\n    w = W(); r = weakref.ref(w, lambda _: {spin}); del w",
            "same line": f"class F:\n    def __del__(self):\n        while True: pass\nF(); time.sleep(60)",
            "function": f"class F:\n    def __del__(self):\n        {spin}\ndef f(): F()\nwhile True: f()",
        }
        self.run_code("import time, weakref")
        for name, code in codes.items():
            for _ in range(5):
                self.context.begin("print('go')\n" + code)
                self.client.expect(self.context.channel, "Data")
                self.client.send(self.context.channel, "Interrupt")
                cell = self.context.end(20)
                self.assertEqual((name, cell.error["name"]), (name, "KeyboardInterrupt"))
                self.assertNotIn("kernels/python", "\n".join(cell.error["traceback"]))
                self.assertEqual(cell.stderr, "")
                self.assertEqual(self.run_code("import sys; sys.gettrace()").result, None)


class PreloadTest(AgentCase):
    kernel_arguments = "{0}/preload"

    def prepare(self):
        with open(self.path("preload"), "w") as file:
            file.write("decimal\nthis\n")

    def test_spare_kernel_has_imported_and_no_other_does(self):
        loaded = "import sys\n'decimal' in sys.modules, 'this' in sys.modules"
        cell = self.client.context().run(loaded)
        self.assertEqual((cell.text, cell.stdout), ("(True, True)", ""))
        self.assertEqual(self.client.context().run(loaded).text, "(False, False)")


class MissingPreloadTest(AgentCase):
    kernel_arguments = "{0}/preload"

    def prepare(self):
        with open(self.path("preload"), "w") as file:
            file.write("no_such_module\n")

    def start_agent(self):
        """It must not come up."""
        with self.assertRaises(EOFError):
            super().start_agent()

    def test_guest_does_not_come_up(self):
        log = self.read("log")
        self.assertIn(b"preload: no_such_module cannot be imported: ModuleNotFoundError", log)
        self.assertIn(b"the spare python kernel ended while starting", log)


if __name__ == "__main__":
    unittest.main()
