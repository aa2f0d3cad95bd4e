"""What every client is put through. A script gives a way to call tools and to read resources; the rest is here."""

import asyncio
import json
import os
import sys
import urllib.request

PATIENCE = 240
TOOLS = {
    "run_code", "run_shell", "install_packages", "read_file", "write_file", "list_files", "create_sandbox",
    "list_sandboxes", "close_sandbox", "snapshot_sandbox", "list_snapshots", "delete_snapshot", "rewind_sandbox",
    "fork_sandbox", "merge_sandbox", "judge",
}
ENDLESS = "import time\nopen('begun', 'w').close()\nwhile True: time.sleep(0.1)"


class Target:
    """Where the server is: an address, or a command that speaks on standard input and output."""

    def __init__(self):
        self.http = sys.argv[1].startswith("http")
        self.url = sys.argv[1]
        self.command, self.arguments = sys.argv[1], sys.argv[2:]
        self.headers = {"Authorization": "Bearer " + os.environ["ATOLL_API_KEY"]}
        self.environment = dict(os.environ)


class Answer:
    """What a tool answered, whatever the client makes of it."""

    def __init__(self, failed, text, data=None):
        self.failed, self.text, self.data = failed, text, data or {}

    def ok(self):
        assert not self.failed, self.text
        return self


async def tell(names, call, read, cancels=True):
    """names(): of tools; call(tool, arguments) -> Answer; read(uri) -> text; cancels: whether the client says that a call
    is no longer wanted."""
    missing = TOOLS - set(await names())
    assert not missing, missing

    first = (await call("run_code", {"code": 'x = 20\nprint("hello")\nx + 1'})).ok()
    assert "hello" in first.text and "21" in first.text, first.text
    assert (first.data["stdout"], first.data["result"], first.data["status"]) == ("hello\n", "21", "ok"), first.data
    wrong = await call("run_code", {"code": "1 / 0"})
    assert wrong.failed and "ZeroDivisionError" in wrong.text, wrong.text
    nobody = await call("run_code", {"code": "x", "sandbox": "nobody"})
    assert nobody.failed and "nobody" in nobody.text, nobody.text
    unwanted = await call("run_code", {"code": 5})
    assert unwanted.failed, unwanted.text
    shell = (await call("run_shell", {"command": "echo $((6 * 7))"})).ok()
    assert "42" in shell.text, shell.text

    (await call("write_file", {"path": "notes/a.txt", "content": "ahoy, Zoë ⛵"})).ok()
    assert "ahoy, Zoë ⛵" in (await call("read_file", {"path": "notes/a.txt"})).ok().text
    assert "a.txt" in (await call("list_files", {"path": "notes"})).ok().text
    assert await read("atoll://session/home/sandbox/notes/a.txt") == "ahoy, Zoë ⛵"
    try:
        await read("atoll://session/nowhere")
    except Exception as problem:
        assert "nowhere" in str(problem), problem
    else:
        raise AssertionError("a resource that is not there was read")

    if cancels:
        await cancelled(call, first.data["session_sandbox"])
    else:
        late = await call("run_code", {"code": ENDLESS, "timeout_seconds": 2})
        assert late.failed and "time" in late.text, late.text
    state = (await call("run_code", {"code": "x"})).ok()
    assert "20" in state.text, state.text


async def cancelled(call, sandbox):
    """A run that nobody wants any more ends: the next one gets its turn, and finds the variables."""
    running = asyncio.ensure_future(call("run_code", {"code": ENDLESS}))
    while not await asyncio.to_thread(begun, sandbox):
        assert not running.done(), running
        await asyncio.sleep(0.2)
    running.cancel()
    try:
        await running
    except asyncio.CancelledError:
        return
    raise AssertionError("the call went on after it was cancelled")


def begun(sandbox):
    """Whether the endless run has begun. Not asked by the client under test: some make one call at a time."""
    request = urllib.request.Request(
        os.environ["ATOLL_SERVER"] + "/v1/sandboxes/" + sandbox + "/commands",
        json.dumps({"argv": ["test", "-e", "begun"]}).encode(),
        {"Authorization": "Bearer " + os.environ["ATOLL_API_KEY"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["exitCode"] == 0


def main(session):
    """Plays the story by a coroutine that is given the target."""

    async def bounded():
        async with asyncio.timeout(PATIENCE):
            await session(Target())

    asyncio.run(bounded())
    print("the story was told")
