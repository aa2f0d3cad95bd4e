'use strict';
// Random numbers that no two restores of one checkpoint share. V8 and OpenSSL keep generators of their own inside the process, and offer no way to seed
// them anew: Math.random is replaced, and what node:crypto draws for programs comes from the system.

const crypto = require('node:crypto');
const fs = require('node:fs');

const state = new Uint32Array(4);

function reseed(seed) {
  const hash = crypto.createHash('sha256').update(seed).update(String(process.pid)).digest();
  for (let i = 0; i < 4; i++) state[i] = hash.readUInt32LE(4 * i);
}

// xoshiro128**.
function next() {
  const product = Math.imul(state[1], 5);
  const result = Math.imul((product << 7) | (product >>> 25), 9);
  const t = state[1] << 9;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= t;
  state[3] = (state[3] << 11) | (state[3] >>> 21);
  return result >>> 0;
}

Math.random = function random() {
  return ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
};

const urandom = fs.openSync('/dev/urandom', 'r');

function fill(buffer) {
  const bytes = ArrayBuffer.isView(buffer) ? Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength) : Buffer.from(buffer);
  for (let done = 0; done < bytes.length;) done += fs.readSync(urandom, bytes, done, bytes.length - done);
  return buffer;
}

const { randomBytes, randomFillSync, randomInt } = crypto;
const answer = (callback, value) => (typeof callback === 'function' ? process.nextTick(callback, null, value) : value);
// What is not the usual call goes to the original, which knows what is wrong with it.
crypto.randomBytes = (size, callback) => (Number.isInteger(size) && size >= 0 && size < 2 ** 31 ? answer(callback, fill(Buffer.alloc(size))) : randomBytes(size, callback));
crypto.randomFillSync = (buffer, ...range) => (range.length === 0 ? fill(buffer) : randomFillSync(buffer, ...range));
crypto.randomInt = (...rest) => {
  const callback = typeof rest.at(-1) === 'function' ? rest.pop() : undefined;
  const [least, end] = rest.length === 1 ? [0, rest[0]] : rest;
  const range = end - least;
  if (!Number.isSafeInteger(least) || !Number.isSafeInteger(end) || !(range > 0 && range < 2 ** 48)) return randomInt(...rest);
  const limit = 2 ** 48 - (2 ** 48 % range);
  let drawn;
  do drawn = fill(Buffer.alloc(6)).readUIntBE(0, 6); while (drawn >= limit);
  return answer(callback, least + (drawn % range));
};
crypto.randomUUID = () => uuid(fill(Buffer.alloc(16)));

function uuid(bytes) {
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

Object.assign(Object.getPrototypeOf(globalThis.crypto), {
  getRandomValues: (array) => fill(array),
  randomUUID: crypto.randomUUID,
});

module.exports = { reseed };
