"""Writes seed inputs for agent_fuzz: each a conversation that reaches deep into the agent."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test"))
from wire import frame  # noqa: E402


def step(kind, target, data):
    return bytes([kind, target]) + struct.pack(">H", len(data)) + data


def host(*frames):
    return step(0, 0, b"".join(struct.pack(">I", len(data)) + data for data in frames))


def message(kind, payload=b""):
    return kind + struct.pack(">I", len(payload)) + payload


started, exited = step(3, 0, b"\x01\x07"), step(3, 0, b"\x03\x00")
open_context = host(frame(1, "OpenContext", language="python", cwd="/", env=[{"name": "A", "value": "b"}], tag="t")) + started
opened = step(4, 0, message(b"R", b"\x3f") + message(b"O", b"\0"))
SEEDS = {
    "process": host(frame(1, "Start", argv=["cat"], stdin=1, tag="x"), frame(1, "Data", stream=1, bytes=b"abc"), frame(1, "Eof", stream=1)) + started
    + step(5, 0, b"output") + host(frame(1, "Signal", number=15, tree=1), frame(1, "Credit", limit=1 << 20)) + exited + host(frame(1, "Close")),
    "terminal": host(frame(1, "Start", argv=["sh"], pty={"rows": 24, "columns": 80})) + started + host(frame(1, "Resize", rows=1, columns=2), frame(1, "Eof")) + exited,
    "context": open_context + opened + host(frame(1, "Execute", execution=1, chunk=b"1+", last=0), frame(1, "Execute", execution=1, chunk=b"1", last=1))
    + step(4, 0, message(b"d", b"{}") + message(b"r", b"{}") + message(b"D")) + host(frame(1, "Interrupt")) + exited + host(frame(1, "Close")),
    "close-early": open_context + host(frame(1, "Close")) + step(6, 128, b""),
    "control": host(frame(0, "Ping", nonce=1), frame(0, "GetStats"), frame(0, "GetChannels"), frame(0, "Quiesce"))
    + host(frame(0, "Thaw", restored=1, seed=b"s" * 32, hostname="h", env=[{"name": "A", "value": "b"}], limits={"memory_bytes": 1})),
    "thaw-context": open_context + opened + host(frame(0, "Quiesce"), frame(0, "Thaw", restored=1, seed=b"s")) + step(4, 0, message(b"T")),
    "files": b"".join(host(frame(i + 1, name, **fields)) for i, (name, fields) in enumerate([
        ("ReadFile", {"path": "/a"}), ("WriteFile", {"path": "/b"}), ("Stat", {"path": "/"}), ("List", {"path": "/", "depth": 2}), ("Move", {"from": "a", "to": "b"}),
        ("Remove", {"path": "/x", "recursive": 1}), ("MakeDir", {"path": "/y", "parents": 1}), ("Watch", {"path": "/"})]))
    + host(frame(2, "Data", stream=4, bytes=b"abc"), frame(2, "Eof"), frame(1, "Close"), frame(2, "Close")) + step(7, 0, b"\0") + step(7, 1, b"\1"),
}

for name, data in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "wb") as out:
        out.write(data)
