"""An agent that lies, as PID 1 of a guest. The honest one runs as its child and all frames go through here, unchanged until the sandbox's
variable HOSTILE=mode-seed comes with Thaw; then this program does what its mode says.
The honest agent is beside this file in its archive."""
import os
import random
import re
import select
import signal
import struct
import time

PING, PONG, QUIESCE, QUIESCED, THAW, THAWED, STATS, GET_CHANNELS, CHANNELS, PORTS = 3, 4, 5, 6, 7, 8, 10, 11, 12, 14
CREDIT, CLOSED, FAILED, OK, DATA, EOF, STARTED, EXIT, RESULT, DONE = 16, 18, 19, 20, 21, 22, 33, 34, 50, 51
WRITTEN, ENTRY, ENTRIES, EVENT, CONNECT, CONNECTED, REFUSED, RESOLVE, RESOLVED = 66, 68, 70, 75, 97, 98, 99, 100, 101
BODIES = [2, PING, PONG, QUIESCED, THAWED, STATS, CHANNELS, PORTS, CREDIT, 17, CLOSED, FAILED, OK, DATA, EOF, STARTED, EXIT, RESULT, DONE,
          WRITTEN, ENTRY, ENTRIES, EVENT, 96, CONNECT, CONNECTED, REFUSED, RESOLVE, RESOLVED, 500]
GUESTS = 1 << 30
FULL = 1 << 20


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def frame(channel, body, content=b""):
    return (field(1, channel) if channel else b"") + field(body, content)


def packed(data):
    return struct.pack(">I", len(data)) + data


def split(data):
    """The channel, the number of the body and its content, of a frame that the host or the honest agent made."""
    at, channel, body, content = 0, 0, 0, b""

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
            value = number()
            channel = value if key >> 3 == 1 else channel
        else:
            size = number()
            body, content = key >> 3, data[at:at + size]
            at += size
    return channel, body, content


class Liar:
    """What one mode does with frames from the host (heard) and from the honest agent (said); both return what goes to the host."""

    def __init__(self, mode, seed):
        self.random = random.Random(seed)
        self.mode = getattr(self, mode)
        self.opened, self.past, self.next_own, self.offset = [], [], GUESTS, 0
        self.deaf = self.stopped = False

    def heard(self, data):
        channel, body, _ = split(data)
        if channel and channel not in self.opened:
            self.opened.append(channel)
        return self.mode("heard", channel, body, data) or b""

    def said(self, data):
        self.past = (self.past + [data])[-200:]
        channel, body, _ = split(data)
        answer = self.mode("said", channel, body, data)
        return packed(data) if answer is None else answer

    def idle(self):
        """More to say although nobody asked; None for nothing."""
        return self.mode("idle", 0, 0, b"")

    def channel(self):
        return self.random.choice(self.opened or [1])

    # Modes that no host may bear.

    def garbage(self, when, channel, body, data):
        if when == "heard" and channel:
            return packed(self.random.randbytes(self.random.randrange(1, 5000)))

    def length(self, when, channel, body, data):
        if when == "heard" and channel:
            return struct.pack(">I", self.random.choice([65537, 1 << 24, 0x7FFFFFFF, 0xFFFFFFFF])) + bytes(70000)

    def empty(self, when, channel, body, data):
        if when == "heard" and channel:
            return packed(b"") + packed(field(1, channel))

    def credit(self, when, channel, body, data):
        if when == "heard" and channel:
            return packed(frame(channel, CREDIT, field(1, self.random.choice([(1 << 63) - 1, 1 << 40, (1 << 64) - 1]))))

    def early(self, when, channel, body, data):
        if when == "heard" and channel:
            return packed(frame(channel, DATA, field(1, 2) + field(3, bytes(60000)))) * 20

    def gaps(self, when, channel, body, data):
        if when == "heard" and channel:
            answer = packed(frame(channel, STARTED, field(1, 7)))
            for i in range(1, 2000):
                answer += packed(frame(channel, DATA, field(1, 2) + field(2, 2 * i)))
            return answer

    def reopened(self, when, channel, body, data):
        if when == "heard" and channel:
            question = packed(frame(GUESTS + 5, CONNECT, field(1, b"a.test") + field(2, 80)))
            return question + question

    def usurped(self, when, channel, body, data):
        if when == "heard" and channel:
            return packed(frame(channel + 1000, RESOLVE, field(1, b"a.test")))

    def inventory(self, when, channel, body, data):
        if when == "heard" and body == GET_CHANNELS:
            info = field(1, 9) + field(2, 1) + field(3, b"x" * 60000) + field(7, (1 << 63) - 1)
            return packed(frame(0, CHANNELS, field(1, info))) * 400

    def prelude(self, when, channel, body, data):
        if when == "heard" and body == GET_CHANNELS:
            self.stopped = True
        if self.stopped:
            return packed(frame(7, DATA, field(1, 2) + field(3, bytes(self.random.choice([0, 1, 60000]))))) * 300

    # Modes that a host may bear as long as the sandbox lives.

    def flood(self, when, channel, body, data):
        if when == "idle":
            return b"".join(packed(frame(0, self.random.choice([PONG, STATS, THAWED, QUIESCED, PORTS]))) for _ in range(200)) * 50

    def late(self, when, channel, body, data):
        if when == "idle":
            return b"".join(packed(frame(self.random.randrange(1, 5000), self.random.choice([CLOSED, DATA, EXIT, OK, DONE]))) for _ in range(500)) * 10

    def openings(self, when, channel, body, data):
        if when == "idle":
            answer = b""
            for _ in range(100):
                self.next_own += self.random.randrange(1, 3)
                name = (b"%x." % self.random.randrange(1 << 20)) * self.random.choice([1, 4, 9000])
                if self.random.random() < 0.5:
                    answer += packed(frame(self.next_own, CONNECT, field(1, name) + field(2, self.random.randrange(70000))))
                else:
                    answer += packed(frame(self.next_own, RESOLVE, field(1, name)))
            return answer

    def beyond(self, when, channel, body, data):
        """More than there is credit for, unless the host is quick to give more."""
        if when == "heard" and channel:
            return packed(frame(channel, STARTED, field(1, 7))) + packed(frame(channel, DATA, field(1, 2) + field(3, bytes(60000)))) * 40

    def deaf_flood(self, when, channel, body, data):
        if when == "heard" and channel:
            self.deaf = True
        return self.openings(when, channel, body, data) if self.deaf else None

    def results(self, when, channel, body, data):
        """Results whose last part never comes."""
        if when == "said" and body == RESULT:
            _, _, content = split(data)
            return packed(frame(channel, RESULT, content + field(4, 0))) * 100

    def answers(self, when, channel, body, data):
        """Answers that nobody has asked for, on channels that there are."""
        if when == "heard" and channel:
            wanted = [STARTED, OK, WRITTEN, ENTRY, FAILED, CONNECTED, EXIT, DONE, EOF, CLOSED]
            return b"".join(packed(frame(self.channel(), self.random.choice(wanted), self.noise())) for _ in range(5))

    def replay(self, when, channel, body, data):
        if when == "said":
            again = [self.random.choice(self.past) for _ in range(self.random.randrange(3))]
            return b"".join(packed(old) for old in again) + packed(data)

    def silence(self, when, channel, body, data):
        if when == "said" and self.random.random() < 0.3:
            return b""

    def mutate(self, when, channel, body, data):
        if when == "said" and self.random.random() < 0.4:
            return self.mutation(bytearray(data), channel)

    def mutation(self, data, channel):
        kind = self.random.randrange(8)
        if kind == 0 and data:
            data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
        elif kind == 1:
            return packed(bytes(data)) * 2
        elif kind == 2:
            return b""
        elif kind == 3:
            del data[self.random.randrange(len(data) + 1):]
        elif kind == 4:
            _, body, content = split(bytes(data))
            return packed(frame(self.channel(), body, content))
        elif kind == 5:
            _, _, content = split(bytes(data))
            return packed(frame(channel, self.random.choice(BODIES), content))
        elif kind == 6:
            _, body, content = split(bytes(data))
            return packed(frame(channel, body, content + self.noise()))
        else:
            data += self.random.randbytes(self.random.randrange(20))
        return packed(bytes(data))

    def noise(self):
        out = b""
        for _ in range(self.random.randrange(5)):
            number = self.random.randrange(1, 12)
            if self.random.random() < 0.5:
                out += field(number, self.random.choice([0, 1, 255, 1 << 31, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]))
            else:
                out += field(number, self.random.randbytes(self.random.choice([0, 1, 10, 300])))
        return out


class Frames:
    """Cuts what is read from a descriptor into frames."""

    def __init__(self, descriptor):
        self.descriptor, self.buffer = descriptor, b""

    def read(self):
        data = os.read(self.descriptor, 65536)
        if not data:
            os._exit(0)
        self.buffer += data
        while len(self.buffer) >= 4:
            size = struct.unpack(">I", self.buffer[:4])[0]
            if len(self.buffer) < 4 + size:
                return
            yield self.buffer[4:4 + size]
            self.buffer = self.buffer[4 + size:]


def write(descriptor, data):
    while data:
        data = data[os.write(descriptor, data):]


def start_honest():
    program = os.memfd_create("agent")
    write(program, __loader__.get_data("honest"))
    inner, to_agent = os.pipe()
    from_agent, outer = os.pipe()
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(inner, 0)
        os.dup2(outer, 1)
        os.execve(program, ["/opt/atoll/agent"], os.environ)
    for descriptor in (program, inner, outer):
        os.close(descriptor)
    return to_agent, Frames(from_agent)


def main():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for folder in ("/dev/shm", "/tmp"):
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o1777)
    to_agent, agent = start_honest()
    host, liar = Frames(0), None
    while True:
        wanted = [agent.descriptor] + ([] if liar and liar.deaf else [0])
        ready = select.select(wanted, [], [], 0.01 if liar else None)[0]
        if 0 in ready:
            for data in host.read():
                found = re.search(rb"(?s)HOSTILE\x12.([a-z_]+)-(\d+)", data)
                if found:
                    liar = Liar(found.group(1).decode(), int(found.group(2)))
                write(to_agent, packed(data))
                if liar:
                    write(1, liar.heard(data))
        if agent.descriptor in ready:
            for data in agent.read():
                write(1, liar.said(data) if liar else packed(data))
        if liar:
            more = liar.idle()
            if more:
                write(1, more)
                # Honest frames have their turn too.
                time.sleep(0)


main()
