"""Takes bodies, gives bodies, and tells events; listens on ::1 alone."""

import hashlib
import http.server
import socket
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        left, digest = int(self.headers["Content-Length"]), hashlib.sha256()
        while left > 0:
            part = self.rfile.read(min(left, 1 << 16))
            digest.update(part)
            left -= len(part)
        self.answer(digest.hexdigest().encode())

    def do_GET(self):
        if self.path == "/events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for number in range(1000):
                self.wfile.write(b"data: %d\n\n" % number)
                self.wfile.flush()
                time.sleep(0.2)
        elif self.path.startswith("/bytes/"):
            left, block = int(self.path[7:]), bytes(range(256)) * 256
            self.send_response(200)
            self.send_header("Content-Length", str(left))
            self.end_headers()
            while left > 0:
                self.wfile.write(block[:left])
                left -= min(left, len(block))
        else:
            self.answer(b"hello")

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


server = Server(("::1", int(sys.argv[1])), Handler)
print("listening", flush=True)
server.serve_forever()
