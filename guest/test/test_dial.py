"""Ports of the guest, seen from the host."""
import os
import socket
import time

from network_case import NetworkCase, free_ports, read_all


class DialTest(NetworkCase):
    def listen(self, address="127.0.0.1", family=socket.AF_INET):
        listener = socket.create_server((address, 0), family=family)
        self.addCleanup(listener.close)
        return listener, listener.getsockname()[1]

    def dial(self, listener, port):
        channel = self.client.open("Dial", port=port)
        self.client.expect(channel, "Connected")
        connection, _ = listener.accept()
        self.addCleanup(connection.close)
        connection.settimeout(10)
        return channel, connection

    def test_bytes_flow_both_ways_with_half_closes(self):
        channel, connection = self.dial(*self.listen())
        self.say(channel, b"request")
        self.client.send(channel, "Eof", stream=4)
        self.assertEqual(read_all(connection), b"request")
        connection.sendall(b"answer")
        connection.close()
        self.assertEqual(self.hear_all(channel), b"answer")
        self.client.expect(channel, "Closed")

    def test_what_is_said_before_connected_is_kept(self):
        listener, port = self.listen()
        channel = self.client.open("Dial", port=port)
        self.say(channel, b"early")
        self.client.send(channel, "Eof", stream=4)
        connection, _ = listener.accept()
        self.addCleanup(connection.close)
        self.assertEqual(read_all(connection), b"early")
        self.client.until(channel, ("Connected",))

    def test_a_port_on_ipv6_alone_is_found(self):
        self.dial(*self.listen("::1", socket.AF_INET6))

    def test_where_nothing_listens_it_fails(self):
        port, = free_ports(1)
        self.assertEqual(self.client.failed(self.client.open("Dial", port=port)), "NOT_FOUND")
        for port in (0, 70000):
            self.assertEqual(self.client.failed(self.client.open("Dial", port=port)), "INVALID")

    def test_the_agents_own_ports_cannot_be_dialed(self):
        for port in (self.proxy_port, self.tls, self.web):
            self.assertEqual(self.client.failed(self.client.open("Dial", port=port)), "NOT_FOUND")

    def test_much_data_arrives_whole(self):
        channel, connection = self.dial(*self.listen())
        data = os.urandom(3 << 20)
        wait = self.in_background(connection.sendall, data)
        self.assertEqual(self.hear(channel, len(data)), data)
        wait()

    def test_close_ends_it(self):
        channel, connection = self.dial(*self.listen())
        self.client.close(channel)
        self.assertIsNone(read_all(connection))

    def listening(self):
        self.client.send(0, "GetPorts")
        return {p["port"]: p for p in self.client.expect(0, "Ports", 30).ports}

    def test_listening_ports_are_listed_without_the_agents_own(self):
        _, everywhere = self.listen("0.0.0.0")
        _, local = self.listen()
        _, six = self.listen("::1", socket.AF_INET6)
        ports = self.listening()
        self.assertEqual([ports[p]["loopback"] for p in (everywhere, local, six)], [0, 1, 1])
        # The agent looks for programs for a quarter of a second, which a busy host may use up.
        deadline = time.monotonic() + 60
        while ports[local]["pid"] == 0 and time.monotonic() < deadline:
            ports = self.listening()
        self.assertEqual(ports[local]["pid"], os.getpid())
        with open("/proc/self/comm") as file:
            self.assertEqual(ports[local]["program"], file.read().strip())
        for own in (self.proxy_port, self.dns_port, self.web, self.tls):
            self.assertNotIn(own, ports)


class TakenPortTest(NetworkCase):
    def start_agent(self):
        taken = socket.create_server(("127.0.0.1", self.proxy_port))
        self.addCleanup(taken.close)
        super().start_agent()

    def test_the_agent_goes_on_without_a_port_that_is_taken(self):
        self.assertNotIn("egress", self.hello.features)
        self.assertIn(f"going on without the proxy on port {self.proxy_port}", self.read("log").decode())
        self.synchronize()
