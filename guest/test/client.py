"""The host's side of the stream, for tests: sends frames, sorts what comes back by channel, gives credit."""
import collections
import json
import os
import select
import struct
import time

from wire import FAILED, METERED, OPENINGS, Frame, frame


# A busy machine may be slow; a test that waits this long has failed.
PATIENCE = 60
PIECE = 30000


class Client:
    def __init__(self, read_fd, write_fd, auto_credit=True):
        self.read_fd, self.write_fd = read_fd, write_fd
        self.buffer = b""
        self.last = 0
        self.auto_credit = auto_credit
        self.queues = collections.defaultdict(collections.deque)
        self.received = collections.Counter()
        self.log = []

    def send(self, channel, name, **fields):
        data = frame(channel, name, **fields)
        self.send_raw(struct.pack(">I", len(data)) + data)

    def send_raw(self, data):
        while data:
            data = data[os.write(self.write_fd, data):]

    def open(self, name, **fields):
        self.last += 1
        self.send(self.last, name, **fields)
        return self.last

    def pump(self, timeout):
        if not select.select([self.read_fd], [], [], max(timeout, 0))[0]:
            return False
        data = os.read(self.read_fd, 1 << 20)
        if not data:
            raise EOFError("the agent has closed the stream")
        self.buffer += data
        while len(self.buffer) >= 4:
            size = struct.unpack(">I", self.buffer[:4])[0]
            assert size <= 65536, size
            if len(self.buffer) < 4 + size:
                break
            self.deliver(Frame(self.buffer[4:4 + size]))
            self.buffer = self.buffer[4 + size:]
        return True

    def deliver(self, received):
        # Nobody knows the id of what the guest opens before it comes.
        self.queues[received.name if received.name in OPENINGS else received.channel].append(received)
        if received.name in METERED:
            before = self.received[received.channel]
            self.received[received.channel] += received.length
            if self.auto_credit and before // 100000 != self.received[received.channel] // 100000:
                self.send(received.channel, "Credit", limit=self.received[received.channel] + 262144)

    def next(self, channel, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        while not self.queues[channel]:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"nothing on channel {channel}")
            self.pump(left)
        return self.queues[channel].popleft()

    def expect(self, channel, name, timeout=PATIENCE):
        received = self.next(channel, timeout)
        while received.name == "Credit" and name != "Credit":
            received = self.next(channel, timeout)
        assert received.name == name, f"expected {name}, got {received}"
        return received

    def until(self, channel, names, timeout=PATIENCE):
        """All frames up to and with the first of the given names."""
        frames = []
        deadline = time.monotonic() + timeout
        while not frames or frames[-1].name not in names:
            frames.append(self.next(channel, deadline - time.monotonic()))
        return frames

    def silent(self, seconds):
        deadline = time.monotonic() + seconds
        quiet = True
        while time.monotonic() < deadline:
            quiet &= not self.pump(deadline - time.monotonic())
        return quiet

    def failed(self, channel):
        return FAILED[self.expect(channel, "Failed").reason]

    # Whole operations.

    def run(self, *argv, stdin=None, timeout=20, **fields):
        channel = self.open("Start", argv=list(argv), stdin=int(stdin is not None), **fields)
        self.expect(channel, "Started")
        if stdin is not None:
            if stdin:
                self.send(channel, "Data", stream=1, bytes=stdin)
            self.send(channel, "Eof", stream=1)
        return self.finish(channel, timeout)

    def finish(self, channel, timeout=20):
        frames = self.until(channel, ("Exit",), timeout)
        out = {stream: b"".join(f.bytes for f in frames if f.name == "Data" and f.stream == stream) for stream in (2, 3, 4)}
        return Outcome(frames[-1], out[2], out[3], out[4], channel)

    def close(self, channel):
        self.send(channel, "Close")
        self.until(channel, ("Closed",))

    def context(self, language="python", **fields):
        channel = self.open("OpenContext", language=language, **fields)
        # A kernel may say something before it is open.
        last = self.until(channel, ("Started", "Failed"), 30)[-1]
        assert last.name == "Started", last
        return Context(self, channel, last.asks)


QUESTION = 4
Question = collections.namedtuple("Question", "number prompt password before")
Outcome = collections.namedtuple("Outcome", "exit stdout stderr bytes channel")


class Context:
    def __init__(self, client, channel, asks=0):
        self.client, self.channel, self.executions, self.asks = client, channel, 0, asks
        self.sent, self.limit = 0, 262144

    def begin(self, code, env=(), answers=0):
        """Sends the code, in pieces if it is long."""
        self.executions += 1
        pieces = [code.encode()[i:i + PIECE] for i in range(0, len(code.encode()), PIECE)] or [b""]
        for i, piece in enumerate(pieces):
            last = i == len(pieces) - 1
            self.sent += len(piece) + 100
            while self.sent > self.limit:
                self.limit = self.client.expect(self.channel, "Credit").limit
            self.client.send(self.channel, "Execute", execution=self.executions, chunk=piece, last=int(last), env=list(env) if last else [], answers=int(last) * answers)

    def run(self, code, timeout=20):
        self.begin(code)
        return self.end(timeout)

    def end(self, timeout=20):
        frames = self.client.until(self.channel, ("Done", "Exit"), timeout)
        return Cell(frames)

    def question(self, timeout=20):
        """The next question; what comes before it is in its `before`."""
        frames = []
        while True:
            frames += self.client.until(self.channel, ("Result", "Done", "Exit"), timeout)
            assert frames[-1].name == "Result", frames[-1]
            if frames[-1].kind == QUESTION and frames[-1].last:
                asked = json.loads(frames[-1].chunk)
                if "over" not in asked:
                    return Question(asked["number"], asked["prompt"], asked.get("password", False), Cell(frames))

    def answer(self, question, text):
        fields = {"end": 1} if text is None else {"text": text.encode()}
        self.client.send(self.channel, "Answer", execution=self.executions, number=question.number, **fields)

    def ask(self, code, *answers):
        """Runs code whose questions are answered in turn; the cell, and the questions."""
        self.begin(code, answers=1)
        asked = []
        for text in answers:
            asked.append(self.question())
            self.answer(asked[-1], text)
        return self.end(), asked


class Cell:
    def __init__(self, frames):
        self.frames = frames
        self.done = frames[-1]
        self.stdout = b"".join(f.bytes for f in frames if f.name == "Data" and f.stream == 2).decode("utf-8", "surrogateescape")
        self.stderr = b"".join(f.bytes for f in frames if f.name == "Data" and f.stream == 3).decode("utf-8", "surrogateescape")
        self.result, self.displays, self.error = None, [], None
        chunks = b""
        for f in frames:
            if f.name != "Result":
                continue
            chunks += f.chunk
            if f.last:
                value, chunks = json.loads(chunks), b""
                if f.kind == 1:
                    self.result = value
                elif f.kind == 2:
                    self.displays.append(value)
                elif f.kind == QUESTION:
                    continue
                else:
                    self.error = value

    @property
    def text(self):
        return self.result and self.result["text/plain"]
