// A whole session by the official client. Arguments: a URL, or a command and its arguments for stdio.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [target, ...rest] = process.argv.slice(2);
const http = target.startsWith('http');
const transport = http
  ? new StreamableHTTPClientTransport(new URL(target), {
      requestInit: { headers: { Authorization: `Bearer ${process.env.ATOLL_API_KEY}` } },
    })
  : new StdioClientTransport({ command: target, args: rest, env: process.env, stderr: 'inherit' });
const client = new Client({ name: 'test', version: '1' });
await client.connect(transport);
assert.equal(client.getServerVersion().name, 'atoll');

const tools = (await client.listTools()).tools;
for (const name of ['run_code', 'run_shell', 'install_packages', 'read_file', 'write_file', 'list_files', 'create_sandbox',
  'list_sandboxes', 'close_sandbox', 'snapshot_sandbox', 'list_snapshots', 'delete_snapshot', 'rewind_sandbox', 'fork_sandbox', 'merge_sandbox', 'judge']) {
  const tool = tools.find((t) => t.name === name);
  assert.ok(tool?.description && tool.outputSchema, name);
}
const options = { timeout: 120000, resetTimeoutOnProgress: true };
const call = async (name, args = {}, more = {}) => client.callTool({ name, arguments: args }, undefined, { ...options, ...more });
const data = async (name, args) => {
  const result = await call(name, args);
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
};

// State, errors, images.
const first = await data('run_code', { code: 'x = 20\nprint("hello")\nx + 1' });
assert.deepEqual([first.stdout, first.result, first.status], ['hello\n', '21', 'ok']);
const wrong = await call('run_code', { code: '1 / 0' });
assert.ok(wrong.isError && wrong.structuredContent.error.includes('ZeroDivisionError'));
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const shown = await call('run_code', {
  code: `import base64\nclass P:\n    def _repr_png_(self): return base64.b64decode("${png}")\nP()`,
});
assert.ok(shown.content.some((c) => c.type === 'image' && c.mimeType === 'image/png' && c.data.length > 20), JSON.stringify(shown));

// Output as it happens, and a run that is no longer wanted.
const told = [];
const slow = await call('run_code',
  { code: 'import os, time\nprint("step 0", flush=True)\nwhile not os.path.exists("heard"):\n    time.sleep(0.05)\nprint("step 1", flush=True)' },
  { onprogress: (p) => { if (told.push(p) === 1) void data('write_file', { path: 'heard', content: '' }); } });
assert.ok(!slow.isError);
assert.ok(told[0].message?.includes('step 0'), JSON.stringify(told));
assert.ok(told.every((p, i) => i === 0 || p.progress > told[i - 1].progress));
const stop = new AbortController();
await assert.rejects(call('run_code', { code: 'import time\nprint("on", flush=True)\nwhile True: time.sleep(0.1)' },
  { signal: stop.signal, onprogress: () => stop.abort('enough') }));
assert.equal((await data('run_code', { code: 'x' })).result, '20');

// Files, as tools and as resources.
await data('write_file', { path: 'notes/a.txt', content: 'ahoy' });
assert.equal((await data('read_file', { path: 'notes/a.txt' })).text, 'ahoy');
assert.ok((await data('list_files', { path: 'notes' })).entries.some((e) => e.path.endsWith('notes/a.txt')));
assert.equal((await data('run_shell', { command: 'cat notes/a.txt; exit 0' })).stdout, 'ahoy');
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
assert.equal((await client.readResource({ uri: 'atoll://session/home/sandbox/notes/a.txt' })).contents[0].text, 'ahoy');
await data('run_code', { code: `import base64\nopen("p.png", "wb").write(base64.b64decode("${png}"))` });
assert.equal((await call('read_file', { path: 'p.png' })).content[0].type, 'image');
assert.equal((await client.readResource({ uri: 'atoll://session/home/sandbox/p.png' })).contents[0].mimeType, 'image/png');
await assert.rejects(client.readResource({ uri: 'atoll://session/nowhere' }), /nowhere/);

// Snapshots, forks, merging.
const kept = await data('snapshot_sandbox', {});
const { children } = await data('fork_sandbox', { count: 2 });
await Promise.all(children.map((child, i) => data('run_code', { sandbox: child.sandbox, code: `x = ${i + 100}` })));
await data('merge_sandbox', { winner: children[1].sandbox });
assert.equal((await data('run_code', { code: 'x' })).result, '101');
await data('rewind_sandbox', { snapshot: kept.snapshot });
assert.equal((await data('run_code', { code: 'x' })).result, '20');
assert.ok((await data('list_snapshots', {})).snapshots.some((s) => s.snapshot === kept.snapshot));
await data('delete_snapshot', { snapshot: kept.snapshot });

// Judging, other sandboxes, and what models get wrong.
const judged = await data('judge', {
  language: 'python', code: 'print(int(input()) * 2)',
  cases: [{ stdin: '2', expected_output: '4' }, { stdin: '3', expected_output: '7' }],
});
assert.deepEqual([judged.verdict, judged.passed, judged.total], ['wrong_answer', 1, 2]);
const second = await data('create_sandbox', { network: 'none' });
assert.equal((await data('run_code', { code: '"x" in globals()' })).result, 'True');
assert.equal((await data('run_code', { code: '"x" in globals()', sandbox: second.sandbox })).result, 'False');
assert.ok((await data('list_sandboxes', {})).sandboxes.some((s) => s.sandbox === second.sandbox));
await data('close_sandbox', { sandbox: second.sandbox });
assert.ok((await call('run_code', { code: 5 })).isError);
assert.ok((await call('run_code', { code: 'x', sandbox: 'nobody' })).isError);
await assert.rejects(call('no_such_tool'));

console.log(JSON.stringify((await data('list_sandboxes', {})).sandboxes.map((s) => s.sandbox)));
if (http) await transport.terminateSession();
await client.close();
