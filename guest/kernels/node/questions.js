'use strict';
// Standard input: each line that code reads is asked of whoever runs it, if that one has said that he answers.

const { Readable } = require('node:stream');
const { NoStdinError } = require('./errors.js');

const { Buffer, clearTimeout, setTimeout } = globalThis;

// A stream reads ahead; what does not want more says so in the meantime.
const AHEAD_MILLIS = 20;

class Questions {
  constructor(send) {
    this.send = send;
    this.announced = false;
    this.allowed = false;
    this.number = 0;
    this.asked = false;
    this.timer = null;
    this.stream = null;
    this.waiting = null;
  }

  announce() {
    this.announced = true;
  }

  begin() {
    this.allowed = this.announced;
    this.announced = false;
    // One that has come to its end, or was read by code before, is of no use to other code.
    this.stream = null;
  }

  end() {
    this.allowed = false;
    this.asked = false;
    this.waiting = null;
    clearTimeout(this.timer);
  }

  stdin() {
    this.stream ??= this.makeStream();
    return this.stream;
  }

  makeStream() {
    const stream = new Readable({
      highWaterMark: 1,
      read: () => {
        if (!this.allowed || this.stream !== stream) {
          stream.destroy(new NoStdinError());
          return;
        }
        stream.wanted = true;
        this.askSoon(stream);
      },
    });
    stream.on('resume', () => this.askSoon(stream));
    for (const event of ['pause', 'end', 'close']) stream.on(event, () => this.settle());
    return stream;
  }

  askSoon(stream) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(stream), AHEAD_MILLIS);
  }

  ask(stream) {
    const paused = stream.readableFlowing === false && stream.listenerCount('readable') === 0;
    if (!this.allowed || this.asked || !stream.wanted || stream !== this.stream || paused) return;
    this.asked = true;
    this.number++;
    this.tell({ prompt: '' });
  }

  // After a restore: whoever is there now has not heard the question.
  askAgain() {
    if (this.allowed && this.asked) this.tell({ prompt: '' });
  }

  tell(what) {
    this.send('q', { number: this.number, ...what });
  }

  // An answer; one to another question comes too late.
  take(payload) {
    if (!this.allowed || !this.asked || payload.readUInt32BE(0) !== this.number) return;
    this.asked = false;
    this.tell({ over: true });
    this.stream.wanted = false;
    this.stream.push(payload[4] === 1 ? null : Buffer.concat([payload.subarray(5), Buffer.from('\n')]));
  }

  // A program does not end while it reads its standard input.
  whenRead(done) {
    this.waiting = done;
    this.settle();
  }

  settle() {
    const reads = this.allowed && this.stream !== null && this.stream.readableFlowing === true
      && !this.stream.readableEnded && !this.stream.destroyed;
    if (reads || this.waiting === null) return;
    const done = this.waiting;
    this.waiting = null;
    done();
  }
}

module.exports = { Questions };
