"""The proxy of the guest: CONNECT, plain HTTP and SOCKS5 on one port."""
import http.client
import os
import socket
import struct
import subprocess
import time

from network_case import DIRECT, HTTP, HTTP_CONNECT, HTTPS, KNOWN, LIMIT, NOT_FOUND, POLICY, SOCKS, TIMEOUT, UNREACHABLE, NetworkCase, query, read_all, read_exactly, reply_of


class ProxyCase(NetworkCase):
    def tunnel(self, host="example.com", port=443):
        """A program's connection through CONNECT, and the host's channel of it."""
        program = self.connect()
        program.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        channel = self.accept(host, port, HTTP_CONNECT)
        established = b"HTTP/1.1 200 Connection established\r\n\r\n"
        self.assertEqual(read_exactly(program, len(established)), established)
        return program, channel


class TunnelTest(ProxyCase):
    def test_hello_names_the_generation_and_the_abilities(self):
        self.assertEqual(self.hello.generation, 3)
        self.assertIn("egress", self.hello.features)
        self.assertIn("dial", self.hello.features)

    def test_bytes_flow_both_ways_and_both_ends_close(self):
        program, channel = self.tunnel()
        program.sendall(b"hello")
        self.assertEqual(self.hear(channel, 5), b"hello")
        self.say(channel, b"welcome")
        self.assertEqual(read_exactly(program, 7), b"welcome")
        program.close()
        self.client.expect(channel, "Eof")
        self.client.send(channel, "Eof", stream=4)
        self.client.expect(channel, "Closed")
        self.assertEqual(self.channels(), [])

    def test_a_program_may_end_its_direction_first(self):
        program, channel = self.tunnel()
        program.sendall(b"request")
        program.shutdown(socket.SHUT_WR)
        self.assertEqual(self.hear_all(channel), b"request")
        self.say(channel, b"late answer")
        self.client.send(channel, "Eof", stream=4)
        self.assertEqual(read_all(program), b"late answer")
        self.client.until(channel, ("Closed",))

    def test_the_host_may_end_its_direction_first(self):
        program, channel = self.tunnel()
        self.say(channel, b"banner")
        self.client.send(channel, "Eof", stream=4)
        self.assertEqual(read_all(program), b"banner")
        program.sendall(b"still talking")
        program.shutdown(socket.SHUT_WR)
        self.assertEqual(self.hear_all(channel), b"still talking")
        self.client.until(channel, ("Closed",))

    def test_what_follows_the_request_at_once_is_passed_on(self):
        program = self.connect()
        program.sendall(b"CONNECT a.example:443 HTTP/1.1\r\n\r\nearly")
        channel = self.accept("a.example", 443, HTTP_CONNECT)
        self.assertEqual(self.hear(channel, 5), b"early")

    def test_close_by_the_host_resets_the_program(self):
        program, channel = self.tunnel()
        self.client.send(channel, "Close")
        self.client.until(channel, ("Closed",))
        self.assertIsNone(read_all(program))

    def test_a_program_that_breaks_off_is_told_by_closed(self):
        program, channel = self.tunnel()
        program.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        program.close()
        self.client.expect(channel, "Closed")

    def test_a_program_that_gives_up_before_the_answer_is_told_by_closed(self):
        program = self.connect()
        program.sendall(b"CONNECT a.example:443 HTTP/1.1\r\n\r\n")
        channel = self.opened().channel
        program.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        program.close()
        self.client.expect(channel, "Closed")
        self.client.send(channel, "Connected")
        self.synchronize()

    def test_addresses_are_passed_on_as_text(self):
        for text, host in (("[2001:db8::1]:443", "2001:db8::1"), ("192.0.2.1:443", "192.0.2.1"), ("EXAMPLE.Com.:443", "example.com")):
            self.connect().sendall(f"CONNECT {text} HTTP/1.1\r\n\r\n".encode())
            self.accept(host, 443, HTTP_CONNECT)

    def test_a_program_that_does_not_read_holds_back_only_itself(self):
        slow, stalled = self.tunnel()
        fast, flowing = self.tunnel()
        sent = 0
        limit = 262144
        piece = b"x" * 32000
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            while self.client.queues[stalled]:
                limit = max(limit, self.client.queues[stalled].popleft().limit)
            if sent + 33000 > limit:
                if not self.client.pump(0.3):
                    break
                continue
            self.client.send(stalled, "Data", stream=4, bytes=piece)
            sent += len(piece) + 20
        self.assertGreater(sent, 200000)
        self.assertLess(sent, 32 << 20)
        self.say(flowing, b"unhindered")
        self.assertEqual(read_exactly(fast, 10), b"unhindered")
        self.client.send(stalled, "Eof", stream=4)
        self.assertEqual(len(read_all(slow)) % 32000, 0)

    def test_a_host_that_gives_no_credit_holds_the_program_back(self):
        self.client.auto_credit = False
        program, channel = self.tunnel()
        program.settimeout(0.5)
        sent = 0
        try:
            while True:
                sent += program.send(b"y" * 65536)
        except TimeoutError:
            pass
        self.client.silent(0.2)
        self.assertLessEqual(self.client.received[channel], 262144)
        self.assertGreater(self.client.received[channel], 262144 - 200)
        # Another connection goes on meanwhile.
        other, flowing = self.tunnel()
        other.sendall(b"ping")
        self.assertEqual(self.hear(flowing, 4), b"ping")
        self.client.auto_credit = True
        self.client.send(channel, "Credit", limit=self.client.received[channel] + 262144)
        program.settimeout(10)
        program.shutdown(socket.SHUT_WR)
        self.assertEqual(len(self.hear_all(channel)), sent)

    def test_a_thousand_connections_at_once(self):
        pairs = []
        for _ in range(10):
            programs = [self.connect() for _ in range(100)]
            for number, program in enumerate(programs):
                program.sendall(b"CONNECT h%d.example:443 HTTP/1.1\r\n\r\n" % number)
            openings = [self.opened() for _ in programs]
            for opening in openings:
                self.client.send(opening.channel, "Connected")
                pairs.append((programs[int(opening.host[1:].split(".")[0])], opening.channel))
        self.assertEqual(len(self.channels()), 1000)
        for number, (program, channel) in enumerate(pairs):
            program.sendall(b"%d" % number)
            self.say(channel, b"%d" % number)
        for number, (program, channel) in enumerate(pairs):
            self.assertEqual(self.hear(channel, len(str(number))), b"%d" % number)
            expected = b"HTTP/1.1 200 Connection established\r\n\r\n%d" % number
            self.assertEqual(read_exactly(program, len(expected)), expected)
            program.close()
            self.client.send(channel, "Close")
        self.synchronize()
        self.assertEqual(self.channels(), [])


class PlainTest(ProxyCase):
    def test_a_request_for_an_absolute_address_reaches_its_origin_in_origin_form(self):
        program = self.connect()
        program.sendall(b"GET http://Example.com:8080/a?b=c HTTP/1.1\r\nHost: other.example\r\nAccept: */*\r\nProxy-Connection: keep-alive\r\n"
                        b"Proxy-Authorization: Basic x\r\nConnection: keep-alive\r\n\r\nGET http://second.example/ HTTP/1.1\r\n\r\n")
        channel = self.accept("example.com", 8080, HTTP)
        expected = b"GET /a?b=c HTTP/1.1\r\nHost: Example.com:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n"
        self.assertEqual(self.hear(channel, len(expected)), expected)
        # The second request is for somebody else.
        program.sendall(b"GET http://third.example/ HTTP/1.1\r\n\r\n")
        program.shutdown(socket.SHUT_WR)
        self.assertEqual(self.hear_all(channel), b"")
        self.say(channel, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        self.client.send(channel, "Eof", stream=4)
        self.assertTrue(read_all(program).endswith(b"ok"))

    def test_a_request_for_an_https_address_is_left_to_the_host(self):
        program = self.connect()
        program.sendall(b"GET https://a.example/x HTTP/1.1\r\nHost: other.example\r\n\r\nGET https://second.example/ HTTP/1.1\r\n\r\n")
        channel = self.accept("a.example", 443, HTTPS)
        program.shutdown(socket.SHUT_WR)
        self.assertEqual(self.hear_all(channel), b"GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")

    def test_exactly_the_body_is_passed_on(self):
        chunked = b"3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: r\r\n\r\n"
        for header, body in ((b"Content-Length: 5", b"12345"), (b"Transfer-Encoding: chunked", chunked)):
            program = self.connect()
            head = b"POST http://h.example HTTP/1.1\r\n" + header + b"\r\n\r\n"
            expected = b"POST / HTTP/1.1\r\nHost: h.example\r\n" + header + b"\r\nConnection: close\r\n\r\n" + body
            # In two pieces, cut inside the body.
            program.sendall(head + body[:4])
            channel = self.accept("h.example", 80, HTTP)
            program.sendall(body[4:] + b"GET http://other.example/ HTTP/1.1\r\n\r\n")
            program.shutdown(socket.SHUT_WR)
            self.assertEqual(self.hear_all(channel), expected)

    def test_python_and_curl_get_their_answers(self):
        answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"

        def with_python():
            connection = http.client.HTTPConnection("127.0.0.1", self.proxy_port, timeout=10)
            connection.request("POST", "http://web.example/path", body=b"data")
            return connection.getresponse().read()

        def with_curl():
            return subprocess.run(["curl", "-sS", "-x", f"http://127.0.0.1:{self.proxy_port}", "-d", "data", "http://web.example/path"],
                                  capture_output=True, timeout=20, env={"PATH": os.environ["PATH"]}).stdout

        def with_curl_socks():
            return subprocess.run(["curl", "-sS", "-x", f"socks5h://127.0.0.1:{self.proxy_port}", "-d", "data", "http://web.example/path"],
                                  capture_output=True, timeout=20, env={"PATH": os.environ["PATH"]}).stdout
        for work, way in ((with_python, HTTP), (with_curl, HTTP), (with_curl_socks, SOCKS)):
            wait = self.in_background(work)
            channel = self.accept("web.example", 80, way)
            heard = self.hear(channel, 20)
            while not heard.endswith(b"\r\n\r\ndata"):
                heard += self.hear(channel, 1)
            self.assertTrue(heard.startswith(b"POST /path HTTP/1.1\r\nHost: web.example\r\n"), heard)
            self.say(channel, answer)
            self.client.send(channel, "Eof", stream=4)
            self.assertEqual(wait(), b"hello")

    def test_what_makes_no_sense_is_a_bad_request(self):
        for request in (b"GET / HTTP/1.1\r\n\r\n", b"GET ftp://a.example/ HTTP/1.1\r\n\r\n", b"CONNECT a.example HTTP/1.1\r\n\r\n", b"CONNECT a.example:0 HTTP/1.1\r\n\r\n",
                        b"CONNECT a.example:70000 HTTP/1.1\r\n\r\n", b"CONNECT a_\xc3\xa4.example:1 HTTP/1.1\r\n\r\n", b"GET http:///x HTTP/1.1\r\n\r\n", b"hello\r\n\r\n",
                        b"GET http://u:p@a.example/ HTTP/1.1\r\n\r\n", b"GET http://a.example/ HTTP/2.0\r\n\r\n", b"GET http://a.example/ HTTP/1.1\r\n folded\r\n\r\n",
                        b"POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                        b"POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"CONNECT " + b"a" * 64 + b".example:1 HTTP/1.1\r\n\r\n"):
            program = self.connect()
            program.sendall(request)
            self.assertTrue(read_all(program).startswith(b"HTTP/1.1 400 Bad Request\r\n"), request)
        program = self.connect()
        program.sendall(b"GET http://a.example/ HTTP/1.1\r\nX: " + b"x" * 20000)
        self.assertTrue(read_all(program).startswith(b"HTTP/1.1 431 "))
        self.assertEqual(self.channels(), [])

    def test_a_head_that_comes_slowly_is_understood(self):
        program = self.connect()
        for byte in b"CONNECT slow.example:99 HTTP/1.1\r\nA: b\r\n\r\n":
            program.sendall(bytes([byte]))
        self.accept("slow.example", 99, HTTP_CONNECT)


class SlowTest(ProxyCase):
    more_config = "proxy-millis=300\n"

    def test_a_head_that_never_ends_is_given_up(self):
        silent, slow, socks = self.connect(), self.connect(), self.connect()
        slow.sendall(b"GET http://a.example/ HTTP/1.1\r\nX: ")
        socks.sendall(b"\5\1\0")
        for program in (silent, slow):
            self.assertTrue(read_all(program).startswith(b"HTTP/1.1 408 "))
        self.assertIn(read_all(socks), (None, b"\5\0"))

    def test_an_open_connection_may_be_silent(self):
        program, channel = self.tunnel()
        self.assertTrue(self.client.silent(1.5))
        program.sendall(b"x")
        self.assertEqual(self.hear(channel, 1), b"x")


class RefusedTest(ProxyCase):
    def test_the_reason_is_told_in_status_header_and_body(self):
        message = "example.com:443 is not allowed by rule 3; add it to the allowlist"
        for request in (b"CONNECT example.com:443 HTTP/1.1\r\n\r\n", b"GET http://example.com/ HTTP/1.1\r\n\r\n"):
            for reason, status in ((POLICY, b"403 Forbidden"), (LIMIT, b"429 Too Many Requests"), (NOT_FOUND, b"502 Bad Gateway"),
                                   (UNREACHABLE, b"502 Bad Gateway"), (TIMEOUT, b"504 Gateway Timeout")):
                program = self.connect()
                program.sendall(request)
                self.refuse(reason, message)
                head, _, body = read_all(program).partition(b"\r\n\r\n")
                self.assertTrue(head.startswith(b"HTTP/1.1 " + status + b"\r\n"), head)
                self.assertIn(b"X-Atoll-Reason: " + message.encode(), head)
                self.assertEqual(body, message.encode() + b"\n")
        self.assertEqual(self.channels(), [])

    def test_a_message_cannot_forge_headers(self):
        program = self.connect()
        program.sendall(b"CONNECT example.com:443 HTTP/1.1\r\n\r\n")
        self.refuse(POLICY, "no\r\nSet-Cookie: a=b\r\n\r\nä" + "x" * 5000)
        head, _, body = read_all(program).partition(b"\r\n\r\n")
        self.assertIn(b"X-Atoll-Reason: no  Set-Cookie: a=b    ??xx", head)
        self.assertIn("ä".encode(), body)

    def test_a_refused_upload_still_gets_its_answer(self):
        program = self.connect()
        program.sendall(b"POST http://example.com/ HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + b"x" * 100000)
        self.refuse(POLICY, "no")
        program.sendall(b"x" * 100000)
        program.shutdown(socket.SHUT_WR)
        self.assertTrue(read_all(program).endswith(b"no\n"))

    def test_socks_has_a_code_for_each(self):
        for reason, code in ((POLICY, 2), (NOT_FOUND, 4), (UNREACHABLE, 5), (TIMEOUT, 6), (LIMIT, 1)):
            program = self.connect()
            program.sendall(b"\5\1\0")
            self.assertEqual(read_exactly(program, 2), b"\5\0")
            program.sendall(b"\5\1\0\3\x0bexample.com\x01\xbb")
            self.refuse(reason)
            self.assertEqual(read_all(program), bytes([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))


class SocksTest(ProxyCase):
    def test_names_and_addresses(self):
        for address, host in ((b"\3\x0bexample.com", "example.com"), (b"\1\xc0\0\2\1", "192.0.2.1"), (b"\4" + socket.inet_pton(socket.AF_INET6, "2001:db8::1"), "2001:db8::1")):
            program = self.connect()
            # All at once, with what the program says first behind it.
            program.sendall(b"\5\2\2\0\5\1\0" + address + b"\x01\xbbearly")
            channel = self.accept(host, 443, SOCKS)
            self.assertEqual(read_exactly(program, 12), b"\5\0\5\0\0\1\0\0\0\0\0\0")
            self.assertEqual(self.hear(channel, 5), b"early")

    def test_other_commands_and_addresses_are_refused_in_its_own_way(self):
        for request, code in ((b"\5\2\0\1\1\2\3\4\0\1", 7), (b"\5\3\0\1\1\2\3\4\0\1", 7), (b"\5\1\0\2\1\2\3\4\0\1", 8), (b"\5\1\0\3\3a b\0\1", 4), (b"\4\1\0\1\1\2\3\4\0\1", 1)):
            program = self.connect()
            program.sendall(b"\5\1\0" + request)
            self.assertEqual(read_all(program)[:4], bytes([5, 0, 5, code]))

    def test_without_a_method_that_needs_no_password_there_is_none(self):
        program = self.connect()
        program.sendall(b"\5\1\2")
        self.assertEqual(read_all(program), b"\5\xff")


class DirectTest(ProxyCase):
    def test_a_client_without_proxy_reaches_the_name_behind_the_address(self):
        address = self.address_of("direct.example")
        program = self.connect(self.tls, address)
        channel = self.accept("direct.example", 443, DIRECT)
        program.sendall(b"hello")
        self.assertEqual(self.hear(channel, 5), b"hello")
        self.say(channel, b"welcome")
        self.assertEqual(read_exactly(program, 7), b"welcome")

    def test_refused_is_a_reset_but_on_port_80_an_answer(self):
        address = self.address_of("direct.example")
        program = self.connect(self.tls, address)
        self.refuse(POLICY, "no")
        self.assertIsNone(read_all(program))
        program = self.connect(self.web, address)
        program.sendall(b"GET / HTTP/1.1\r\nHost: direct.example\r\n\r\n")
        self.refuse(POLICY, "not today")
        answer = read_all(program)
        self.assertTrue(answer.startswith(b"HTTP/1.1 403 Forbidden\r\n"))
        self.assertTrue(answer.endswith(b"\r\n\r\nnot today\n"))

    def test_any_other_address_is_as_if_nothing_listened(self):
        for address in ("127.0.0.1", "127.64.0.1"):
            # The reset may come before connect() returns.
            with self.assertRaises(ConnectionResetError):
                self.connect(self.tls, address).recv(1)
        self.assertTrue(self.client.silent(0.2))

    def test_socks_with_an_address_of_the_dns_server_means_the_name(self):
        address = self.address_of("direct.example")
        self.connect().sendall(b"\5\1\0\5\1\0\1" + socket.inet_aton(address) + b"\x01\xbb")
        self.accept("direct.example", 443, SOCKS)


class CheckpointTest(ProxyCase):
    def test_connections_outlive_a_checkpoint_that_goes_on(self):
        program, channel = self.tunnel()
        self.client.send(0, "Quiesce")
        self.client.expect(0, "Quiesced")
        program.sendall(b"meanwhile")
        late = self.connect()
        late.sendall(b"CONNECT late.example:1 HTTP/1.1\r\n\r\n")
        self.assertTrue(self.client.silent(0.3))
        self.client.send(0, "Thaw", restored=0)
        self.client.expect(0, "Thawed")
        self.assertEqual(self.hear(channel, 9), b"meanwhile")
        self.accept("late.example", 1, HTTP_CONNECT)

    def test_after_a_restore_all_connections_are_gone(self):
        program, _ = self.tunnel()
        asked = self.connect()
        asked.sendall(b"CONNECT asked.example:1 HTTP/1.1\r\n\r\n")
        self.opened()
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        dialed = self.client.open("Dial", port=listener.getsockname()[1])
        self.client.expect(dialed, "Connected")
        accepted, _ = listener.accept()
        self.addCleanup(accepted.close)
        self.assertEqual([c["kind"] for c in self.channels()], [0, 0, 0])
        self.client.send(0, "Quiesce")
        self.client.expect(0, "Quiesced")
        self.client.send(0, "Thaw", restored=1, seed=b"s" * 32)
        self.client.expect(0, "Thawed")
        for connection in (program, asked, accepted):
            connection.settimeout(5)
            self.assertIsNone(read_all(connection))
        self.assertEqual(self.channels(), [])
        self.tunnel()

    def test_a_name_asked_for_before_a_restore_is_asked_for_again(self):
        question = query("again.example")
        asker = self.send_query(question)
        before = self.opened("Resolve").channel
        self.client.send(0, "Quiesce")
        self.client.expect(0, "Quiesced")
        self.client.send(0, "Thaw", restored=1, seed=b"s" * 32)
        self.client.expect(0, "Thawed")
        after = self.opened("Resolve").channel
        self.assertGreater(after, before)
        self.client.send(after, "Resolved", verdict=KNOWN)
        self.assertEqual(reply_of(asker.recv(600), question).code, 0)
