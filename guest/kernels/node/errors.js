'use strict';
// How an error is told: name, message, and a stack of the user's own lines.

const path = require('node:path');
const util = require('node:util');

const MOST_TEXT = 1 << 20;
const MOST_CAUSES = 10;
const LIMITS = { ENOSPC: 'disk', EDQUOT: 'disk', EFBIG: 'disk', ENOMEM: 'memory' };

class NoStdinError extends Error {
  constructor() {
    super('stdin is not available in run_code; pass data as a file or variable');
    this.name = 'EOFError';
  }
}

function describe(error, columns) {
  if (!util.types.isNativeError(error)) {
    const value = cut(util.inspect(error));
    return { name: 'Uncaught', value, traceback: [`Uncaught ${value}`] };
  }
  const told = { name: String(error.name), value: cut(String(error.message)), traceback: cut(trace(error, 0)).split('\n').map((line) => inSource(line, columns)) };
  const limit = limitOf(error);
  return limit === undefined ? told : { ...told, limit };
}

function limitOf(error) {
  if (error.code === 'EAGAIN' && /^spawn/.test(error.syscall ?? '')) return 'processes';
  if (error instanceof RangeError && /allocation failed|Invalid (array|string) length/.test(error.message)) return 'memory';
  return LIMITS[error.code];
}

function trace(error, depth) {
  const lines = String(error.stack ?? error).split('\n');
  const frames = lines.findIndex((line) => /^ {4}at /.test(line));
  const head = frames < 0 ? lines : lines.slice(0, frames);
  const own = frames < 0 ? [] : lines.slice(frames).filter(isOfUser);
  const text = [...head, ...own].join('\n');
  return error.cause === undefined || depth === MOST_CAUSES
    ? text
    : `${text}\n[cause]: ${util.types.isNativeError(error.cause) ? trace(error.cause, depth + 1) : util.inspect(error.cause)}`;
}

const isOfUser = (line) => !/\(?node:|^ {4}at (async )?(Promise|new Promise)\b.*<anonymous>/.test(line) && !line.includes(__dirname + path.sep);

// Changing a cell so that it can be run may have moved what stands in a line.
const inSource = (line, columns) => line.replace(/<cell (\d+)>:(\d+):(\d+)/,
  (all, cell, row, column) => `<cell ${cell}>:${row}:${columns.get(cell)?.original(Number(row), Number(column)) ?? column}`);

const cut = (text) => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

module.exports = { describe, NoStdinError };
