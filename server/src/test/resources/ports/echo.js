// A WebSocket that echoes, by Node's own modules alone, and the page that speaks to it.
const http = require('http');
const crypto = require('crypto');

const page = `<!doctype html><title>echo</title><p id="said">waiting</p><script>
const socket = new WebSocket(location.href.replace('http', 'ws'));
socket.onopen = () => socket.send('hello from the browser');
socket.onmessage = (message) => { document.getElementById('said').textContent = message.data; };
</script>`;

const server = http.createServer((request, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.end(page);
});

server.on('upgrade', (request, socket) => {
  const accept = crypto.createHash('sha1')
    .update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    + 'Sec-WebSocket-Accept: ' + accept + '\r\n\r\n');
  let pending = Buffer.alloc(0);
  socket.on('data', (data) => {
    pending = Buffer.concat([pending, data]);
    while (pending.length >= 2) {
      let length = pending[1] & 127;
      let at = 2;
      if (length === 126) { if (pending.length < 4) return; length = pending.readUInt16BE(2); at = 4; }
      if (pending.length < at + 4 + length) return;
      const mask = pending.subarray(at, at + 4);
      const text = Buffer.from(pending.subarray(at + 4, at + 4 + length).map((byte, i) => byte ^ mask[i % 4]));
      const opcode = pending[0] & 15;
      pending = pending.subarray(at + 4 + length);
      if (opcode === 8) { socket.end(Buffer.from([0x88, 0])); return; }
      if (opcode !== 1) continue;
      const answer = Buffer.concat([Buffer.from('echo: '), text]);
      const head = answer.length < 126 ? Buffer.from([0x81, answer.length]) : Buffer.from([0x81, 126, answer.length >> 8, answer.length & 255]);
      socket.write(Buffer.concat([head, answer]));
    }
  });
  socket.on('error', () => {});
});

server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'));
