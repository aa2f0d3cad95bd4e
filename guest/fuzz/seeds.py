"""Writes seed inputs: for agent_fuzz conversations that reach deep into the agent, for network_fuzz what its parsers take."""
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
    "questions": open_context + step(4, 0, message(b"R", b"\x3f\0\1") + message(b"O", b"\0")) + host(frame(1, "Execute", execution=1, chunk=b"1", last=1, answers=1))
    + step(4, 0, message(b"q", b"{}")) + host(frame(1, "Answer", execution=1, number=1, text=b"a"), frame(1, "Answer", execution=2, number=1, end=1))
    + step(4, 0, message(b"q", b"{}") + message(b"D")) + host(frame(1, "Answer", execution=1, number=1, end=1)) + exited + host(frame(1, "Answer", execution=1), frame(1, "Close")),
    "close-early": open_context + host(frame(1, "Close")) + step(6, 128, b""),
    "control": host(frame(0, "Ping", nonce=1), frame(0, "GetStats"), frame(0, "GetChannels"), frame(0, "Quiesce"))
    + host(frame(0, "Thaw", restored=1, seed=b"s" * 32, hostname="h", env=[{"name": "A", "value": "b"}], limits={"memory_bytes": 1})),
    "thaw-context": open_context + opened + host(frame(0, "Quiesce"), frame(0, "Thaw", restored=1, seed=b"s")) + step(4, 0, message(b"T")),
    "files": b"".join(host(frame(i + 1, name, **fields)) for i, (name, fields) in enumerate([
        ("ReadFile", {"path": "/a"}), ("WriteFile", {"path": "/b"}), ("Stat", {"path": "/"}), ("List", {"path": "/", "depth": 2}), ("Move", {"from": "a", "to": "b"}),
        ("Remove", {"path": "/x", "recursive": 1}), ("MakeDir", {"path": "/y", "parents": 1}), ("Watch", {"path": "/"})]))
    + host(frame(2, "Data", stream=4, bytes=b"abc"), frame(2, "Eof"), frame(1, "Close"), frame(2, "Close")) + step(7, 0, b"\0") + step(7, 1, b"\1"),
}

OWN = 1 << 30
connect = b"CONNECT a.example:443 HTTP/1.1\r\n\r\nearly"
plain = b"POST http://b.example/x?y HTTP/1.1\r\nHost: z\r\nProxy-A: b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET http://c.example/"
socks = b"\x05\x01\x00\x05\x01\x00\x03\x09c.example\x01\xbbearly"
question = b"\0\7\1\0\0\1\0\0\0\0\0\0\1d\7example\0\0\1\0\1"
reverse = question[:12] + b"\0019\0017\00264\003127\7in-addr\4arpa\0\0\x0c\0\1"
opened = host(frame(OWN, "Connected"), frame(OWN, "Data", stream=4, bytes=b"answer"), frame(OWN, "Credit", limit=1 << 20))
SEEDS |= {
    "dial": host(frame(1, "Dial", port=8080), frame(1, "Data", stream=4, bytes=b"early")) + step(9, 0, b"hello") + step(9, 64, b"") + step(9, 128, b"x")
    + host(frame(1, "Eof", stream=4), frame(2, "Dial", port=99)) + step(9, 129, b"") + host(frame(2, "Close"), frame(0, "GetPorts")),
    "tunnel": step(8, 0, b"") + step(9, 0, connect) + opened + step(9, 0, b"more") + step(9, 128, b"x") + host(frame(0, "GetChannels"), frame(OWN, "Eof", stream=4)),
    "plain": step(8, 0, b"") + step(9, 0, plain) + opened + step(9, 0, b"GET /") + host(frame(OWN, "Close")),
    "socks": step(8, 0, b"") + step(9, 0, socks) + opened + step(9, 128, b"") + host(frame(0, "Quiesce"), frame(0, "Thaw", restored=1)),
    "refused": step(8, 0, b"") + step(9, 0, connect) + step(8, 0, b"") + step(9, 1, socks) + step(10, 80, b"e.example") + step(10, 187, b"e.example")
    + host(*(frame(OWN + i, "Refused", reason=i + 1, message="no") for i in range(4))) + step(9, 128, b"") + step(9, 129, b""),
    "names": step(11, 0, question) + step(11, 1, question) + step(11, 1, reverse) + host(frame(OWN, "Resolved", verdict=1)) + step(10, 80, b"d.example")
    + step(11, 2, question) + host(frame(0, "Quiesce"), frame(0, "Thaw", restored=1)) + host(frame(OWN + 3, "Resolved", verdict=2)),
}
NETWORK_SEEDS = {"connect": b"\0\3" + connect, "plain": b"\0\3" + plain, "chunks": b"\1\2" + plain[plain.index(b"3\r\n"):], "greeting": b"\2\0" + socks, "socks": b"\2\0" + socks[3:],
                 "question": b"\3\0" + question, "reverse": b"\3\0" + reverse, "host": b"\4\0[2001:db8::1]:443"}

for folder, seeds in (("agent", SEEDS), ("network", NETWORK_SEEDS)):
    for name, data in seeds.items():
        with open(os.path.join(sys.argv[1], folder, name), "wb") as out:
            out.write(data)
