"""A test case with an agent that has a proxy, a DNS server and direct ports, none of them on a port that somebody else may want."""
import collections
import resource
import socket
import struct
import threading

from agent_case import AgentCase
from wire import BYTES

HTTP_CONNECT, SOCKS, HTTP, DIRECT, HTTPS = 1, 2, 3, 4, 5
POLICY, NOT_FOUND, UNREACHABLE, TIMEOUT, LIMIT = 1, 2, 3, 4, 5
KNOWN, UNKNOWN, REFUSED, FAILED = 1, 2, 3, 4
FIRST_OWN = 1 << 30
A, PTR, MX, AAAA = 1, 12, 15, 28

Reply = collections.namedtuple("Reply", "id code records")


def free_ports(count, address="127.0.0.1"):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind((address, 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def labels(name):
    return b"".join(bytes([len(part)]) + part.encode() for part in name.split(".") if part) + b"\0"


def query(name, kind=A, ident=7, flags=0x0100, klass=1):
    return struct.pack(">HHHHHH", ident, flags, 1, 0, 0, 0) + labels(name) + struct.pack(">HH", kind, klass)


def reply_of(packet, question):
    ident, flags, questions, answers, _, _ = struct.unpack(">HHHHHH", packet[:12])
    assert flags & 0x8000 and questions == 1 and packet[12:12 + len(question) - 12] == question[12:], packet
    at, records = len(question), []
    for _ in range(answers):
        _, kind, klass, ttl, size = struct.unpack(">HHHIH", packet[at:at + 12])
        assert klass == 1 and ttl == 60
        records.append((kind, packet[at + 12:at + 12 + size]))
        at += 12 + size
    assert at == len(packet)
    return Reply(ident, flags & 15, records)


def read_exactly(connection, count):
    received = b""
    while len(received) < count and (piece := connection.recv(count - len(received))):
        received += piece
    return received


def read_all(connection):
    """Everything up to the end, or to a reset, of which None tells."""
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except ConnectionResetError:
        return None
    return received


class NetworkCase(AgentCase):
    more_config = ""

    def setUp(self):
        # As in a guest, where the agent may have far more descriptors; it takes over the limit of this process.
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, before[1]), before[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        self.proxy_port, self.web, self.tls = free_ports(3, "0.0.0.0")
        self.dns_port = free_ports(1, "127.0.0.53")[0]
        self.extra_config = f"proxy-port={self.proxy_port}\ndns-port={self.dns_port}\ndirect-ports=80:{self.web},443:{self.tls}\n{self.more_config}"
        super().setUp()

    # What programs in the guest do.

    def connect(self, port=None, address="127.0.0.1"):
        connection = socket.create_connection((address, port or self.proxy_port), 10)
        self.addCleanup(connection.close)
        return connection

    def in_background(self, work, *arguments):
        """Runs what blocks; the returned function waits for its result."""
        result = []
        thread = threading.Thread(target=lambda: result.append(work(*arguments)), daemon=True)
        thread.start()

        def wait():
            thread.join(20)
            return result[0]
        return wait

    def send_query(self, packet):
        asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(asker.close)
        asker.settimeout(10)
        asker.sendto(packet, ("127.0.0.53", self.dns_port))
        return asker

    def ask(self, name, kind=A, verdict=None, **fields):
        question = query(name, kind, **fields)
        asker = self.send_query(question)
        if verdict is not None:
            self.resolve(name, verdict)
        with asker:
            return reply_of(asker.recv(600), question)

    def address_of(self, name):
        (kind, data), = self.ask(name, verdict=KNOWN).records
        self.assertEqual(kind, A)
        return socket.inet_ntoa(data)

    # What the host does.

    def opened(self, name="Connect"):
        opening = self.client.next(name)
        self.assertGreaterEqual(opening.channel, FIRST_OWN)
        return opening

    def resolve(self, name, verdict):
        opening = self.opened("Resolve")
        # A frame's own name hides the field.
        self.assertEqual(opening.fields["name"], name)
        self.client.send(opening.channel, "Resolved", verdict=verdict)

    def accept(self, host, port, way):
        opening = self.opened()
        self.assertEqual((opening.host, opening.port, opening.way), (host, port, way))
        self.client.send(opening.channel, "Connected")
        return opening.channel

    def refuse(self, reason, message=""):
        self.client.send(self.opened().channel, "Refused", reason=reason, message=message)

    def say(self, channel, data):
        for at in range(0, len(data), 60000):
            self.client.send(channel, "Data", stream=BYTES, bytes=data[at:at + 60000])

    def hear(self, channel, count):
        """So many bytes of what the program says."""
        heard = b""
        while len(heard) < count:
            heard += self.client.expect(channel, "Data").bytes
        return heard

    def hear_all(self, channel):
        frames = self.client.until(channel, ("Eof", "Closed"))
        self.assertEqual(frames[-1].name, "Eof")
        return b"".join(f.bytes for f in frames if f.name == "Data")

    def channels(self):
        self.client.send(0, "GetChannels")
        found = []
        while True:
            answer = self.client.expect(0, "Channels")
            found += answer.channels
            if answer.last:
                return found

    def synchronize(self):
        """All that was sent before has been seen by the agent."""
        self.client.send(0, "Ping", nonce=1)
        self.client.expect(0, "Pong")
