"""Messages between the kernel and the agent, as ../PROTOCOL.md has them."""
import os
import select

CODE_FD, ANSWER_FD = 3, 4
DONE = b"D\0\0\0\0"


def framed(kind, payload):
    return kind + len(payload).to_bytes(4, "big") + payload


def write(data):
    view = memoryview(data)
    while view:
        view = view[os.write(ANSWER_FD, view):]


def wait_until_read(patience=60):
    """Waits until the agent has read all that was written; False where that cannot be told."""
    import fcntl
    import termios
    import time
    deadline = time.monotonic() + patience
    pause = 0.0001
    while time.monotonic() < deadline:
        try:
            if int.from_bytes(fcntl.ioctl(ANSWER_FD, termios.FIONREAD, bytes(4)), "little") == 0:
                return True
        except OSError:
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.01)
    return False


class Inbox:
    def __init__(self):
        self.data = b""
        self.reading = False
        self.ended = False

    def take(self):
        """Removes one whole message, or returns None."""
        data = self.data
        if len(data) < 5:
            return None
        end = 5 + int.from_bytes(data[1:5], "big")
        if len(data) < end:
            return None
        self.data = data[end:]
        return data[0], data[5:end]

    def receive(self):
        """Waits for a message; None at the end of the pipe."""
        while True:
            message = self.take()
            if message is not None:
                return message
            data = os.read(CODE_FD, 65536)
            if not data:
                return None
            self.data += data

    def take_in(self):
        """Takes in what has arrived without waiting for more."""
        if self.reading:
            # A signal in the middle of this very method; what is there will be taken in by the outer call.
            return
        self.reading = True
        try:
            while select.select([CODE_FD], [], [], 0)[0]:
                data = os.read(CODE_FD, 65536)
                if not data:
                    self.ended = True
                    return
                self.data += data
        finally:
            self.reading = False
