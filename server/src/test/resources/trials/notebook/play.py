"""Plays the cells in cells.json to ipykernel, and writes what came of each into outputs.json.

What a client of a notebook would show at the end is kept: displays that were replaced and outputs that were cleared are gone."""

import json
import queue
import sys
import time

from jupyter_client.manager import start_new_kernel

PATIENCE = 120


class Cell:
    """What one execution has shown so far."""

    def __init__(self):
        self.clear()
        self.result = self.error = self.status = None
        self.clear_next = False

    def clear(self):
        self.stdout, self.stderr, self.displays = [], [], []

    def take(self, kind, content):
        if kind in ("stream", "display_data", "error", "execute_result") and self.clear_next:
            self.clear()
            self.clear_next = False
        if kind == "stream":
            getattr(self, content["name"]).append(content["text"])
        elif kind == "display_data":
            self.displays.append([content.get("transient", {}).get("display_id"), content["data"]])
        elif kind == "update_display_data":
            for shown in self.displays:
                if shown[0] == content["transient"]["display_id"]:
                    shown[1] = content["data"]
        elif kind == "clear_output":
            if content["wait"]:
                self.clear_next = True
            else:
                self.clear()
        elif kind == "execute_result":
            self.result = content["data"]
        elif kind == "error":
            self.error = {"name": content["ename"], "message": content["evalue"]}

    def told(self):
        return {
            "stdout": "".join(self.stdout),
            "stderr": "".join(self.stderr),
            "displays": [shown[1] for shown in self.displays],
            "result": self.result,
            "error": self.error,
        }


def play(manager, client, code, interrupt):
    cell = Cell()
    asked = client.execute(code, allow_stdin=False)
    idle, sent, until = False, False, time.monotonic() + PATIENCE
    while not idle:
        message = client.get_iopub_msg(timeout=max(0, until - time.monotonic()))
        if message["parent_header"].get("msg_id") != asked:
            continue
        kind, content = message["msg_type"], message["content"]
        idle = kind == "status" and content["execution_state"] == "idle"
        cell.take(kind, content)
        if interrupt and not sent and "ready" in "".join(cell.stdout):
            manager.interrupt_kernel()
            sent = True
    return cell.told()


def main():
    with open("cells.json") as file:
        cells = json.load(file)
    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=PATIENCE)
    outputs = []
    try:
        for number, cell in enumerate(cells):
            try:
                outputs.append(play(manager, client, cell["code"], cell["interrupt"]))
            except queue.Empty:
                sys.exit("cell %d (%s) did not end" % (number, cell["name"]))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    with open("outputs.json", "w") as file:
        json.dump(outputs, file)


main()
