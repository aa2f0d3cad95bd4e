// Makes JavaScript of a TypeScript program before it runs: `node compile.js main.ts` writes main.ts.js. Taking the types away costs more than most programs
// do, and would otherwise be counted to each run. Lines and columns stay those of the source.
'use strict';

const fs = require('node:fs');
const { stripTypeScriptTypes } = require('node:module');

const file = process.argv[2];
const source = fs.readFileSync(file, 'utf8');

function compiled() {
  try {
    return stripTypeScriptTypes(source, { sourceUrl: file });
  } catch (error) {
    // Enumerations and the like are more than types.
    if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error;
    return stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true, sourceUrl: file });
  }
}

process.removeAllListeners('warning');
// What is wrong with the program is told, not where in here.
Error.stackTraceLimit = 0;
try {
  fs.writeFileSync(`${file}.js`, compiled());
} catch (error) {
  console.error(error.stack);
  process.exitCode = 1;
}
