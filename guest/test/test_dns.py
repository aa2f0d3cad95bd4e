"""The DNS server of the guest."""
import socket
import struct

from network_case import A, AAAA, FAILED, KNOWN, MX, PTR, REFUSED, UNKNOWN, NetworkCase, labels, query, read_exactly, reply_of

NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME, NOT_IMPLEMENTED, QUERY_REFUSED = 0, 2, 3, 4, 5


class DnsTest(NetworkCase):
    def test_a_known_name_gets_an_address_of_the_guest_and_keeps_it(self):
        address = self.address_of("pypi.example")
        self.assertEqual(struct.unpack(">I", socket.inet_aton(address))[0] >> 22, (127 << 24 | 64 << 16) >> 22)
        self.assertEqual(self.address_of("pypi.example"), address)
        self.assertNotEqual(self.address_of("other.example"), address)

    def test_verdicts(self):
        for verdict, code in ((UNKNOWN, NO_SUCH_NAME), (REFUSED, QUERY_REFUSED), (FAILED, SERVER_FAILURE)):
            reply = self.ask("some.example", verdict=verdict)
            self.assertEqual((reply.code, reply.records), (code, []))
        self.assertEqual(self.ask("some.example", AAAA, KNOWN), (7, NO_ERROR, []))
        self.assertEqual(self.ask("none.example", AAAA, UNKNOWN).code, NO_SUCH_NAME)

    def test_one_question_to_the_host_answers_all_who_ask(self):
        questions = [query("shared.example", A, 1), query("Shared.Example", AAAA, 2), query("shared.example", A, 3)]
        askers = [self.send_query(question) for question in questions]
        askers[0].sendto(questions[0], ("127.0.0.53", self.dns_port))
        opening = self.opened("Resolve")
        self.synchronize()
        self.client.send(opening.channel, "Resolved", verdict=KNOWN)
        replies = [reply_of(asker.recv(600), question) for asker, question in zip(askers, questions)]
        self.assertEqual([len(reply.records) for reply in replies], [1, 0, 1])
        self.synchronize()
        self.assertFalse(self.client.queues["Resolve"])

    def test_local_names_are_answered_here(self):
        for name in ("localhost", "app.localhost", socket.gethostname().lower()):
            self.assertEqual(self.ask(name).records, [(A, b"\x7f\0\0\1")])
            self.assertEqual(self.ask(name, AAAA).records, [(AAAA, b"\0" * 15 + b"\1")])

    def test_an_address_leads_back_to_its_name(self):
        address = self.address_of("back.example")
        reverse = ".".join(reversed(address.split("."))) + ".in-addr.arpa"
        self.assertEqual(self.ask(reverse, PTR).records, [(PTR, labels("back.example"))])
        self.assertEqual(self.ask("1.0.0.127.in-addr.arpa", PTR).records, [(PTR, labels("localhost"))])
        for name in ("9.9.64.127.in-addr.arpa", "8.8.8.8.in-addr.arpa", "back.example", "999.1.64.127.in-addr.arpa"):
            self.assertEqual(self.ask(name, PTR).code, NO_SUCH_NAME)

    def test_other_questions_need_no_host(self):
        self.assertEqual(self.ask("some.example", MX), (7, NO_ERROR, []))
        self.assertEqual(self.ask("", A), (7, NO_ERROR, []))
        self.assertEqual(self.ask("some.example", klass=3).code, NOT_IMPLEMENTED)
        self.assertEqual(self.ask("some.example", flags=0x2900).code, NOT_IMPLEMENTED)
        self.assertEqual(self.ask("white space.example").code, NO_SUCH_NAME)
        self.assertFalse(self.client.queues["Resolve"])

    def test_malformed_packets_are_dropped(self):
        good = query("fine.example")
        for packet in (b"", b"x", good[:11], good[:20], good[:-1], good[:2] + b"\x81\0" + good[4:], good[:4] + b"\0\2" + good[6:], good[:4] + b"\0\0" + good[6:],
                       good[:12] + b"\xc0\x0c\0\1\0\1", good[:12] + (b"\x3f" + b"a" * 63) * 4 + b"\0\0\1\0\1", good + b"x" * 600):
            self.send_query(packet)
        self.assertEqual(self.ask("fine.example", verdict=KNOWN).code, NO_ERROR)
        longest = ".".join(["a" * 63] * 3 + ["b" * 61])
        self.assertEqual(self.ask(longest, verdict=KNOWN).code, NO_ERROR)

    def test_over_tcp(self):
        connection = self.connect(self.dns_port, "127.0.0.53")
        for name, cut in (("one.example", 1), ("two.example", 5)):
            question = query(name)
            message = struct.pack(">H", len(question)) + question
            connection.sendall(message[:cut])
            self.synchronize()
            connection.sendall(message[cut:])
            self.resolve(name, KNOWN)
            size, = struct.unpack(">H", read_exactly(connection, 2))
            self.assertEqual(len(reply_of(read_exactly(connection, size), question).records), 1)
        # Two at once are answered one after the other.
        first, second = query("three.example", ident=1), query("localhost", ident=2)
        connection.sendall(b"".join(struct.pack(">H", len(q)) + q for q in (first, second)))
        self.resolve("three.example", UNKNOWN)
        for question, code in ((first, NO_SUCH_NAME), (second, NO_ERROR)):
            size, = struct.unpack(">H", read_exactly(connection, 2))
            self.assertEqual(reply_of(read_exactly(connection, size), question).code, code)
        connection.sendall(b"\0\3abc")
        self.assertEqual(connection.recv(1), b"")

    def test_a_question_whose_asker_is_gone_hurts_nobody(self):
        connection = self.connect(self.dns_port, "127.0.0.53")
        question = query("gone.example")
        connection.sendall(struct.pack(">H", len(question)) + question)
        opening = self.opened("Resolve")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        self.synchronize()
        self.client.send(opening.channel, "Resolved", verdict=KNOWN)
        self.synchronize()

    def test_close_by_the_host_is_a_failure(self):
        question = query("closed.example")
        asker = self.send_query(question)
        opening = self.opened("Resolve")
        self.assertEqual([c["kind"] for c in self.channels()], [0])
        self.client.send(opening.channel, "Close")
        self.client.expect(opening.channel, "Closed")
        self.assertEqual(reply_of(asker.recv(600), question).code, SERVER_FAILURE)

    def test_names_beyond_the_table_push_out_the_least_used(self):
        kept = self.address_of("kept.example")
        connection = self.connect(self.tls, kept)
        channel = self.accept("kept.example", 443, 4)
        gone = self.address_of("gone.example")
        for number in range(4100):
            self.ask(f"n{number}.example", verdict=KNOWN)
        reverse = [".".join(reversed(address.split("."))) + ".in-addr.arpa" for address in (kept, gone)]
        self.assertEqual([self.ask(name, PTR).code for name in reverse], [NO_ERROR, NO_SUCH_NAME])
        connection.sendall(b"x")
        self.assertEqual(self.hear(channel, 1), b"x")
        # Stable: it comes back under the same address.
        self.assertEqual(self.address_of("gone.example"), gone)
