"""Answers plainly, in events and over a WebSocket, and tells when it is asked to end."""

import base64
import hashlib
import http.server
import os
import signal
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.headers.get("Upgrade", "").lower() == "websocket":
            self.echo()
        elif self.path == "/events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for number in range(1000):
                self.wfile.write(b"data: %d\n\n" % number)
                time.sleep(0.1)
        else:
            body = os.environ.get("COLOUR", "none").encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def echo(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.send_header("Sec-WebSocket-Accept", accept)
        self.end_headers()
        self.close_connection = True
        while True:
            kind, size = self.rfile.read(2)
            mask = self.rfile.read(4)
            text = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(size & 0x7F)))
            if kind & 0x0F == 8:
                self.wfile.write(b"\x88\x00")
                return
            answer = b"echo: " + text
            self.wfile.write(bytes([0x81, len(answer)]) + answer)

    def log_message(self, *arguments):
        pass


def end(number, frame):
    print("asked to end", flush=True)
    time.sleep(1)
    print("ended in order", flush=True)
    os._exit(0)


signal.signal(signal.SIGTERM, end)
print("begun", os.environ.get("COLOUR", "none"), flush=True)
http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
