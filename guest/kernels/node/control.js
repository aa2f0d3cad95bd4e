'use strict';
// Reads the control pipe on a thread of its own, so that an interrupt is heard while code keeps the main thread busy. See ../PROTOCOL.md.

const inspector = require('node:inspector');
const net = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');

// How long the main thread has to hear of an interrupt before it is sent again, and before what it executes is terminated.
const AGAIN_MILLIS = 50;
const TERMINATE_MILLIS = 300;

const { HEARD, SENT } = workerData;
const shared = new Int32Array(workerData.shared);
let inbox = Buffer.alloc(0);
let interrupts = 0;

const pipe = new net.Socket({ fd: 3, readable: true, writable: false });
pipe.on('data', (data) => {
  inbox = inbox.length === 0 ? data : Buffer.concat([inbox, data]);
  while (inbox.length >= 5) {
    const end = 5 + inbox.readUInt32BE(1);
    if (inbox.length < end) return;
    take(String.fromCharCode(inbox[0]), inbox.subarray(5, end));
    inbox = inbox.subarray(end);
  }
});
pipe.on('close', () => parentPort.postMessage({ kind: 'end' }));

function take(kind, payload) {
  if (kind !== 'I') {
    parentPort.postMessage({ kind, payload: new Uint8Array(payload) });
    return;
  }
  const number = ++interrupts;
  parentPort.postMessage({ kind, number });
  const unlessHeard = (action, millis) => setTimeout(() => Atomics.load(shared, HEARD) < number && action(), millis);
  unlessHeard(signalAgain, AGAIN_MILLIS);
  unlessHeard(terminate, TERMINATE_MILLIS);
}

// The first signal may have come just before a script that it would have ended.
function signalAgain() {
  Atomics.add(shared, SENT, 1);
  process.kill(process.pid, 'SIGINT');
}

// A script ends by the signal. What goes on after an await is no script any more: all that is on the stack of the main thread is ended, which then finds
// the message of the interrupt.
function terminate() {
  const session = new inspector.Session();
  session.connectToMainThread();
  session.post('Runtime.terminateExecution', () => session.disconnect());
}
