'use strict';
// Atoll's kernel for JavaScript and TypeScript: runs code like the cells of a notebook, in the global scope of one process. See ../PROTOCOL.md.

const crypto = require('node:crypto');
const fs = require('node:fs');
const nodeModule = require('node:module');
const path = require('node:path');
const util = require('node:util');
const vm = require('node:vm');
const { Worker } = require('node:worker_threads');
const { prepare } = require('./cells.js');
const { describe } = require('./errors.js');
const { Questions } = require('./questions.js');
const { reseed } = require('./random.js');

// Cells may give these names other meanings.
const { process, Atomics, Buffer, Date, Promise, clearTimeout, setImmediate } = globalThis;
const wait = util.promisify(globalThis.setTimeout);
const reallyExit = process.exit.bind(process);
const exitSelf = (code) => (process.exit = reallyExit)(code);

const ANSWER_FD = 4;
const MOST_TEXT = 1 << 20;
const language = process.argv[2] ?? 'javascript';
const SIGNAL_MILLIS = 500;
// Interrupts that were heard of, and signals that were sent for them once more.
const HEARD = 0;
const SENT = 1;
const shared = new Int32Array(new SharedArrayBuffer(8));

let code = [];
let cells = 0;
let thawVariables = {};
let contextVariables = {};
let runVariables = {};
// Where the columns of each cell were before it was changed.
const columns = new Map();
// The execution under way, with the function that ends it.
let current = null;
let signals = 0;

class Exit {
  constructor(status) {
    this.status = status;
  }
}

class Interrupted {}

// Messages.

function send(kind, payload) {
  const message = Buffer.alloc(5 + payload.length);
  message.write(kind, 0, 'latin1');
  message.writeUInt32BE(payload.length, 1);
  payload.copy(message, 5);
  for (let sent = 0; sent < message.length;) sent += fs.writeSync(ANSWER_FD, message, sent);
}

const sendJson = (kind, value) => send(kind, Buffer.from(JSON.stringify(value)));

function receive({ kind, payload, number }) {
  switch (kind) {
    case 'O': open(texts(payload)); break;
    case 'E': code.push(payload); break;
    case 'V': runVariables = pairs(texts(payload)); break;
    case 'X': {
      const source = Buffer.concat([...code, payload]).toString();
      code = [];
      execute(source);
      break;
    }
    case 'Q': questions.announce(); break;
    case 'A': questions.take(Buffer.from(payload)); break;
    case 'I':
      Atomics.store(shared, HEARD, number);
      if (current !== null) current.fail(new Interrupted());
      break;
    case 'T': thaw(Buffer.from(payload)); break;
    case 'end': exitSelf(0); break;
    default:
  }
}

const questions = new Questions(sendJson);

const texts = (payload) => Buffer.from(payload).toString().split('\0').slice(0, -1);

const pairs = (list) => Object.fromEntries(list.map((text) => [text.slice(0, text.indexOf('=', 1)), text.slice(text.indexOf('=', 1) + 1)]));

// Opening and thawing.

function setThawVariables(variables) {
  for (const name of Object.keys(thawVariables)) {
    if (!(name in contextVariables)) delete process.env[name];
  }
  thawVariables = variables;
  for (const [name, value] of Object.entries(variables)) {
    if (!(name in contextVariables)) process.env[name] = value;
  }
}

function open(list) {
  const end = list.indexOf('', 1);
  contextVariables = pairs(list.slice(end + 1));
  setThawVariables(pairs(list.slice(1, end)));
  Object.assign(process.env, contextVariables);
  let failure = 0;
  try {
    if (list[0] !== '') process.chdir(list[0]);
  } catch (error) {
    failure = -error.errno;
  }
  send('O', Buffer.from([failure]));
}

function thaw(payload) {
  const end = 1 + payload[0];
  setThawVariables(pairs(texts(payload.subarray(end))));
  reseed(payload.subarray(1, end));
  send('T', Buffer.alloc(0));
  questions.askAgain();
}

// Executing.

// The signal of an interrupt may come after the execution that it was meant for, and must not hit the next one.
async function allSignalsHaveCome() {
  const due = () => Atomics.load(shared, HEARD) + Atomics.load(shared, SENT);
  for (const end = Date.now() + SIGNAL_MILLIS; signals < due() && Date.now() < end;) await wait(2);
  signals = due();
}

async function execute(source) {
  if (signals !== Atomics.load(shared, HEARD) + Atomics.load(shared, SENT)) await allSignalsHaveCome();
  const name = `<cell ${++cells}>`;
  const hidden = lend(runVariables);
  runVariables = {};
  questions.begin();
  new Promise((resolve, fail) => {
    current = { fail, timers: new Set(), exit: null };
    run(source, name).then(resolve, (error) => fail(counted(error)));
  })
    .then((value) => (current.exit === null ? new Promise((resolve, fail) => {
      current.fail = fail;
      questions.whenRead(() => resolve(value));
    }) : value))
    // Rejections that nobody handles are told of when all that is due at once has been done.
    .then((value) => new Promise((resolve, fail) => {
      current.fail = fail;
      setImmediate(() => resolve(value));
    }))
    .then((value) => (current.exit === null ? succeed(value) : failed(current.exit)))
    .catch((error) => failed(current.exit ?? error))
    .finally(() => {
      current = null;
      questions.end();
      takeBack(hidden);
      send('D', Buffer.alloc(0));
    });
}

// The signal that ended a script has been used up.
function counted(error) {
  if (error?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') signals++;
  return error;
}

async function run(source, name) {
  const script = language === 'typescript' ? withoutTypes(source) : source;
  const cell = prepareCell(script, name);
  columns.set(String(cells), cell.columns);
  cell.names.forEach(makeVariable);
  refreshModule();
  if (cell.isAsync && cell.names.length > 0) vm.runInThisContext(`var ${cell.names};`);
  const value = new vm.Script(cell.source, {
    filename: name,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext({ breakOnSigint: true });
  if (!cell.hasValue) {
    if (cell.isAsync) await value;
    return undefined;
  }
  // A promise as the last value is waited for: `main()` is what many a program ends with.
  return cell.isAsync ? (await value).value : value;
}

function prepareCell(source, name) {
  try {
    return prepare(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // V8 says it better, unless it takes offence at what only a cell may do.
    try {
      new vm.Script(source, { filename: name });
    } catch (better) {
      if (!/await|import|export/.test(better.message)) throw better;
    }
    error.message = error.message.replace(/ \(\d+:\d+\)$/, '');
    error.stack = `${name}:${error.loc.line}\n${source.split('\n')[error.loc.line - 1]}\n${' '.repeat(error.loc.column)}^\n\nSyntaxError: ${error.message}`;
    throw error;
  }
}

function withoutTypes(source) {
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    try {
      return nodeModule.stripTypeScriptTypes(source);
    } catch (error) {
      if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error;
      // Enums, namespaces and parameter properties are more than types.
      return nodeModule.stripTypeScriptTypes(source, { mode: 'transform' });
    }
  } catch (error) {
    throw Object.assign(new SyntaxError(error.message), { stack: `SyntaxError: ${error.message}` });
  } finally {
    process.emitWarning = warn;
  }
}

// Some globals, such as crypto, can only be read; a cell that declares the name means a variable of its own.
function makeVariable(name) {
  const property = Object.getOwnPropertyDescriptor(globalThis, name);
  if (property !== undefined && property.configurable && !('value' in property && property.writable)) {
    Object.defineProperty(globalThis, name, { value: undefined, writable: true, configurable: true, enumerable: true });
  }
}

function succeed(value) {
  if (value !== undefined) sendJson('r', bundle(value));
}

function failed(error) {
  if (error instanceof Exit) {
    sendJson('e', { name: 'SystemExit', value: String(error.status), traceback: [] });
  } else if (error instanceof Interrupted || error?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') {
    current.timers.forEach((timer) => clearTimeout(timer));
    sendJson('e', { name: 'Interrupted', value: '', traceback: [] });
  } else {
    sendJson('e', describe(error, columns));
  }
}

function bundle(value) {
  const text = util.inspect(value, { maxStringLength: MOST_TEXT });
  const shown = { 'text/plain': text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}… (${text.length} characters)` : text };
  const own = value?.[Symbol.for('Jupyter.display')];
  return typeof own === 'function' ? { ...shown, ...own.call(value) } : shown;
}

// Variables of this execution alone; what they hide comes back.
function lend(variables) {
  const hidden = Object.keys(variables).map((name) => [name, process.env[name]]);
  Object.assign(process.env, variables);
  return hidden;
}

function takeBack(hidden) {
  for (const [name, value] of hidden) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

// What cells find.

function refreshModule() {
  const file = path.join(directory(), 'cell.js');
  if (globalThis.__filename === file) return;
  globalThis.__filename = file;
  globalThis.__dirname = path.dirname(file);
  globalThis.require = nodeModule.createRequire(file);
}

function directory() {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

function setUpGlobals() {
  globalThis.module = { exports: {} };
  globalThis.exports = globalThis.module.exports;
  globalThis.display = (...values) => values.forEach((value) => current !== null && sendJson('d', bundle(value)));
  process.argv.length = 1;
  process.execArgv = [];
  process.exit = (status = process.exitCode ?? 0) => {
    if (current === null) process.kill(process.pid, 'SIGKILL');
    current.exit ??= new Exit(status);
    current.fail(current.exit);
    throw current.exit;
  };
  Object.defineProperty(process, 'stdin', { configurable: true, get: () => questions.stdin() });
  for (const name of ['setTimeout', 'setInterval']) {
    const original = globalThis[name];
    const tracked = (...rest) => {
      const timer = original(...rest);
      current?.timers.add(timer);
      return timer;
    };
    Object.defineProperty(tracked, 'name', { value: name });
    globalThis[name] = Object.assign(tracked, { [util.promisify.custom]: original[util.promisify.custom] });
  }
}

function tellOfStrayErrors(error) {
  if (error instanceof Exit) return;
  if (current !== null) current.fail(error);
  else process.stderr.write(`${describe(error, columns).traceback.join('\n')}\n`);
}

setUpGlobals();
// A program that prints without end must be held up by its reader, and not fill the memory with what is not read.
process.stdout._handle?.setBlocking?.(true);
process.stderr._handle?.setBlocking?.(true);
process.on('SIGINT', () => { signals++; });
process.on('uncaughtException', tellOfStrayErrors);
process.on('unhandledRejection', tellOfStrayErrors);
reseed(crypto.randomBytes(32));
new Worker(path.join(__dirname, 'control.js'), { workerData: { shared: shared.buffer, HEARD, SENT }, stdin: false }).on('message', receive);
// What the first cell needs is loaded while nobody waits.
prepare('await 1; 1');
util.inspect({ a: [1] });
send('R', Buffer.from([0, 0, 1]));
