"""A server's side of the keeper's socket, for tests."""
import os
import socket
import struct

from client import Client
from wire import Frame


class KeeperClient(Client):
    """Talks frames through a keeper's records."""

    def __init__(self, path, auto_credit=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        super().__init__(self.socket.fileno(), self.socket.fileno(), auto_credit)
        self.first = self.next_new = self.pid = self.status = None
        self.count = 0

    def send_raw(self, data):
        # Client frames come with their 4-byte length: as a record they get the type in front.
        self.socket.sendall(b"F" + data)

    def pump(self, timeout):
        import select
        if not select.select([self.socket], [], [], max(timeout, 0))[0]:
            return False
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError("the keeper has closed the socket")
        self.buffer += data
        while len(self.buffer) >= 5:
            kind, size = self.buffer[:1], struct.unpack(">I", self.buffer[1:5])[0]
            assert kind in (b"H", b"F", b"X") and size <= 65536, (kind, size)
            if len(self.buffer) < 5 + size:
                break
            payload, self.buffer = self.buffer[5:5 + size], self.buffer[5 + size:]
            if kind == b"H":
                self.first, self.next_new, self.pid = struct.unpack(">QQI", payload)
            elif kind == b"X":
                self.status = struct.unpack(">I", payload)[0]
            else:
                self.count += 1
                self.take(payload)
        return True

    def take(self, payload):
        self.deliver(Frame(payload))

    def close_socket(self):
        self.socket.close()


def wait_for_end(path, seconds=10):
    import time
    deadline = time.monotonic() + seconds
    while not os.path.exists(path) or os.path.getsize(path) == 0:
        if time.monotonic() > deadline:
            raise TimeoutError(path)
        time.sleep(0.01)
    with open(path) as file:
        return int(file.read())
