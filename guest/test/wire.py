"""A hand-written encoder and decoder for the messages of agent.proto: enough for tests, with no dependency."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


# field name -> (number, kind); kind: int, bool, sint32 as int, str, bytes, or a message name; a list means repeated.
MESSAGES = {
    "Hello": {"generation": (1, "int"), "version": (2, "str"), "features": (3, ["str"])},
    "Ping": {"nonce": (1, "int")}, "Pong": {"nonce": (1, "int")},
    "Quiesce": {}, "Quiesced": {}, "Thawed": {}, "GetStats": {}, "GetChannels": {}, "Close": {}, "Closed": {}, "Ok": {}, "Interrupt": {},
    "Variable": {"name": (1, "str"), "value": (2, "str")},
    "Limits": {"memory_bytes": (1, "int"), "disk_bytes": (2, "int"), "processes": (3, "int")},
    "Thaw": {"restored": (1, "int"), "wall_clock_nanos": (2, "int"), "seed": (3, "bytes"), "hostname": (4, "str"), "env": (5, ["Variable"]), "limits": (6, "Limits")},
    "Stats": {"memory_bytes": (1, "int"), "disk_bytes": (2, "int"), "processes": (3, "int"), "cpu_micros": (4, "int")},
    "Channels": {"channels": (1, ["ChannelInfo"]), "last": (2, "int")},
    "ChannelInfo": {"channel": (1, "int"), "kind": (2, "int"), "tag": (3, "str"), "pid": (4, "int"), "sent": (5, "int"), "received": (6, "int"),
                    "send_limit": (7, "int"), "receive_limit": (8, "int"), "offset": (9, "int"), "execution": (10, "int"), "exit": (11, "Exit"), "asks": (12, "int")},
    "Credit": {"limit": (1, "int")},
    "Failed": {"reason": (1, "int"), "message": (2, "str")},
    "Data": {"stream": (1, "int"), "offset": (2, "int"), "bytes": (3, "bytes"), "execution": (4, "int")},
    "Eof": {"stream": (1, "int")},
    "Start": {"argv": (1, ["str"]), "env": (2, ["Variable"]), "cwd": (3, "str"), "user": (4, "str"), "stdin": (5, "int"), "pty": (6, "Resize"), "tag": (7, "str"),
              "bounds": (8, "Bounds")},
    "Bounds": {"cpu_micros": (1, "int"), "wall_micros": (2, "int"), "memory_bytes": (3, "int"), "scratch_bytes": (4, "int")},
    "Started": {"pid": (1, "int"), "asks": (2, "int")},
    "Exit": {"code": (1, "int"), "signal": (2, "int"), "reason": (3, "int"), "cpu_micros": (4, "int"), "max_rss_bytes": (5, "int"), "wall_micros": (6, "int")},
    "Signal": {"number": (1, "int"), "tree": (2, "int")},
    "Resize": {"rows": (1, "int"), "columns": (2, "int")},
    "OpenContext": {"language": (1, "str"), "cwd": (2, "str"), "env": (3, ["Variable"]), "tag": (4, "str")},
    "Execute": {"execution": (1, "int"), "chunk": (2, "bytes"), "last": (3, "int"), "env": (4, ["Variable"]), "answers": (5, "int")},
    "Answer": {"execution": (1, "int"), "number": (2, "int"), "text": (3, "bytes"), "end": (4, "int")},
    "Result": {"execution": (1, "int"), "kind": (2, "int"), "chunk": (3, "bytes"), "last": (4, "int")},
    "Done": {"execution": (1, "int"), "reason": (2, "int")},
    "ReadFile": {"path": (1, "str"), "offset": (2, "int"), "length": (3, "int"), "user": (4, "str")},
    "WriteFile": {"path": (1, "str"), "mode": (2, "int"), "parents": (3, "int"), "append": (4, "int"), "user": (5, "str")},
    "Written": {"bytes": (1, "int")},
    "Stat": {"path": (1, "str"), "user": (2, "str")},
    "Entry": {"path": (1, "str"), "kind": (2, "int"), "size": (3, "int"), "mode": (4, "int"), "modified_nanos": (5, "int"), "owner": (6, "str"), "target": (7, "str")},
    "List": {"path": (1, "str"), "depth": (2, "int"), "max": (3, "int"), "user": (4, "str")},
    "Entries": {"entries": (1, ["Entry"]), "truncated": (2, "int")},
    "Move": {"from": (1, "str"), "to": (2, "str"), "overwrite": (3, "int"), "user": (4, "str")},
    "Remove": {"path": (1, "str"), "recursive": (2, "int"), "user": (3, "str")},
    "MakeDir": {"path": (1, "str"), "parents": (2, "int"), "mode": (3, "int"), "user": (4, "str")},
    "Watch": {"path": (1, "str"), "recursive": (2, "int"), "user": (3, "str")},
    "Event": {"kind": (1, "int"), "path": (2, "str"), "from": (3, "str")},
    "GetPorts": {}, "Ports": {"ports": (1, ["Port"])},
    "Port": {"port": (1, "int"), "loopback": (2, "int"), "pid": (3, "int"), "program": (4, "str")},
    "Dial": {"port": (1, "int")}, "Connect": {"host": (1, "str"), "port": (2, "int"), "way": (3, "int")}, "Connected": {},
    "Refused": {"reason": (1, "int"), "message": (2, "str")}, "Resolve": {"name": (1, "str")}, "Resolved": {"verdict": (1, "int")},
}
BODIES = {
    2: "Hello", 3: "Ping", 4: "Pong", 5: "Quiesce", 6: "Quiesced", 7: "Thaw", 8: "Thawed", 9: "GetStats", 10: "Stats", 11: "GetChannels", 12: "Channels", 13: "GetPorts", 14: "Ports",
    16: "Credit", 17: "Close", 18: "Closed", 19: "Failed", 20: "Ok", 21: "Data", 22: "Eof", 32: "Start", 33: "Started", 34: "Exit", 35: "Signal", 36: "Resize",
    48: "OpenContext", 49: "Execute", 50: "Result", 51: "Done", 52: "Interrupt", 53: "Answer", 64: "ReadFile", 65: "WriteFile", 66: "Written", 67: "Stat", 68: "Entry",
    69: "List", 70: "Entries", 71: "Move", 72: "Remove", 73: "MakeDir", 74: "Watch", 75: "Event",
    96: "Dial", 97: "Connect", 98: "Connected", 99: "Refused", 100: "Resolve", 101: "Resolved",
}
NUMBERS = {name: number for number, name in BODIES.items()}
# What the guest opens a channel with.
OPENINGS = {"Connect", "Resolve"}
METERED = {"Data", "Entries", "Event", "Result", "Execute"}
FAILED = ["UNSPECIFIED", "INVALID", "NOT_FOUND", "ALREADY_EXISTS", "NOT_A_DIRECTORY", "IS_A_DIRECTORY", "DIRECTORY_NOT_EMPTY", "PERMISSION_DENIED", "NO_SPACE",
          "TOO_MANY", "NOT_EXECUTABLE", "NO_SUCH_USER", "NO_SUCH_LANGUAGE", "BUSY", "IO"]
STDIN, STDOUT, STDERR, BYTES = 1, 2, 3, 4


def encode(name, fields):
    out = bytearray()
    for key, value in fields.items():
        number, kind = MESSAGES[name][key]
        for item in value if isinstance(kind, list) else [value]:
            item_kind = kind[0] if isinstance(kind, list) else kind
            if item_kind == "int":
                if not item:
                    continue  # As protobuf encodes: a default is left out.
                out += varint(number << 3) + varint(int(item))
                continue
            if item_kind == "str":
                item = item.encode()
            elif item_kind != "bytes":
                item = encode(item_kind, item)
            if not item and item_kind in ("str", "bytes") and not isinstance(kind, list):
                continue
            out += varint(number << 3 | 2) + varint(len(item)) + item
    return bytes(out)


def fields_of(data):
    at = 0

    def number():
        nonlocal at
        result = shift = 0
        while True:
            byte = data[at]
            at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result
    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        elif key & 7 == 2:
            size = number()
            if at + size > len(data):
                raise ValueError("cut short")
            yield key >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError("wire type")


def decode(name, data):
    schema = {number: (key, kind) for key, (number, kind) in MESSAGES[name].items()}
    result = {}
    for key, (_, kind) in MESSAGES[name].items():
        result[key] = [] if isinstance(kind, list) else {"int": 0, "str": "", "bytes": b""}.get(kind)
    for number, value in fields_of(data):
        key, kind = schema[number]
        item_kind = kind[0] if isinstance(kind, list) else kind
        if item_kind == "str":
            value = value.decode("utf-8", "surrogateescape")
        elif item_kind not in ("int", "bytes"):
            value = decode(item_kind, value)
        elif item_kind == "int" and value >= 1 << 63:
            value -= 1 << 64
        if isinstance(kind, list):
            result[key].append(value)
        else:
            result[key] = value
    return result


def frame(channel, name, **fields):
    return (varint(8) + varint(channel) if channel else b"") + varint(NUMBERS[name] << 3 | 2) + (lambda body: varint(len(body)) + body)(encode(name, fields))


class Frame:
    def __init__(self, data):
        self.length = len(data)
        self.channel = 0
        for number, value in fields_of(data):
            if number == 1:
                self.channel = value
            else:
                self.name = BODIES[number]
                self.fields = decode(self.name, value)

    def __getattr__(self, key):
        try:
            return self.__dict__["fields"][key]
        except KeyError:
            raise AttributeError(key) from None

    def __repr__(self):
        return f"{self.name}@{self.channel}{self.fields}"
