'use strict';
// Makes of a cell what can be run as a script again and again: declarations become global variables that may be declared anew, `import` becomes a call,
// and a cell with a top-level `await` becomes the body of an async function. Lines stay where they are.

const acorn = require('internal/deps/acorn/acorn/dist/acorn');

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowHashBang: true,
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
};

// What to run: `source`, the names that it declares, whether it gives a promise, and whether its last statement is an expression.
function prepare(source) {
  const program = acorn.parse(source, OPTIONS);
  const cell = new Cell(source, program.body.some(waits));
  // What the compiler of TypeScript adds to the end is not the user's last statement.
  const last = program.body.findLast((node) => !(node.type === 'VariableDeclaration' && node.kind === 'var' && node.declarations.every((d) => d.init === null)));
  program.body.forEach((node) => cell.statement(node, node === last));
  return cell.finish();
}

// Whether a statement waits by itself, apart from the functions in it.
function waits(node) {
  if (node === null || typeof node !== 'object') return false;
  if (Array.isArray(node)) return node.some(waits);
  if (node.type === 'AwaitExpression' || node.type === 'ImportDeclaration' || (node.type === 'ForOfStatement' && node.await)) return true;
  if (/Function/.test(node.type ?? '') || node.type === 'ClassBody') return false;
  return Object.values(node).some(waits);
}

function namesOf(pattern) {
  switch (pattern?.type) {
    case 'Identifier': return [pattern.name];
    case 'ObjectPattern': return pattern.properties.flatMap((p) => namesOf(p.type === 'RestElement' ? p : p.value));
    case 'ArrayPattern': return pattern.elements.flatMap(namesOf);
    case 'AssignmentPattern': return namesOf(pattern.left);
    case 'RestElement': return namesOf(pattern.argument);
    default: return [];
  }
}

class Cell {
  constructor(source, isAsync) {
    this.source = source;
    this.isAsync = isAsync;
    this.hasValue = false;
    this.names = new Set();
    this.functions = [];
    this.edits = [];
  }

  replace(start, end, text) {
    this.edits.push([start, end, text]);
  }

  insert(at, text) {
    this.replace(at, at, text);
  }

  // Before the semicolon of a statement, if it has one.
  endOf(node) {
    return this.source[node.end - 1] === ';' ? node.end - 1 : node.end;
  }

  statement(node, isLast) {
    switch (node.type) {
      case 'VariableDeclaration': this.variables(node); break;
      case 'FunctionDeclaration': this.names.add(node.id.name); this.functions.push(node.id.name); break;
      case 'ClassDeclaration': this.named(node, node.id.name); break;
      case 'ImportDeclaration': this.imports(node); break;
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
      case 'ExportAllDeclaration': this.exports(node, isLast); break;
      case 'ExpressionStatement': if (isLast) this.value(node); break;
      default:
    }
  }

  variables(node) {
    node.declarations.flatMap((d) => namesOf(d.id)).forEach((name) => this.names.add(name));
    if (!this.isAsync) {
      if (node.kind === 'let' || node.kind === 'const') this.replace(node.start, node.start + node.kind.length, 'var');
      return;
    }
    this.replace(node.start, node.start + node.kind.length, ';(');
    for (const declarator of node.declarations) {
      if (declarator.init === null) this.insert(declarator.end, ' = undefined');
    }
    this.insert(this.endOf(node), ');');
  }

  named(node, name) {
    this.names.add(name);
    this.insert(node.start, `;${this.isAsync ? '' : 'var '}${name} = `);
    this.insert(node.end, ';');
  }

  imports(node) {
    const options = node.attributes?.length ? `, {with: {${node.attributes.map((a) => `${a.key.raw ?? a.key.name}: ${a.value.raw}`)}}}` : '';
    const call = `await import(${node.source.raw}${options})`;
    const whole = node.specifiers.find((s) => s.type === 'ImportNamespaceSpecifier');
    const parts = node.specifiers.filter((s) => s !== whole)
      .map((s) => `${s.type === 'ImportDefaultSpecifier' ? 'default' : s.imported.raw ?? s.imported.name}: ${s.local.name}`);
    node.specifiers.forEach((s) => this.names.add(s.local.name));
    const text = whole ? `;${whole.local.name} = ${call};${parts.length ? `({${parts}} = ${whole.local.name});` : ''}` : parts.length ? `;({${parts}} = ${call});` : `;${call};`;
    const lines = this.source.slice(node.start, node.end).split('\n').length - 1;
    this.replace(node.start, node.end, text + '\n'.repeat(lines));
  }

  // A cell exports nothing; what it would export stays.
  exports(node, isLast) {
    const declaration = node.declaration;
    if (!declaration) {
      this.replace(node.start, node.end, this.source.slice(node.start, node.end).replace(/[^\n]/g, ' '));
    } else {
      this.replace(node.start, declaration.start, ' '.repeat(declaration.start - node.start));
      if (/Declaration$/.test(declaration.type) && (declaration.id !== null || declaration.type === 'VariableDeclaration')) this.statement(declaration, isLast);
      else this.insert(declaration.start, ';void '); 
    }
  }

  value(node) {
    this.hasValue = true;
    if (!this.isAsync) return;
    this.insert(node.start, ';return {value: (');
    this.insert(this.endOf(node), '\n)};');
  }

  finish() {
    const { source, edits } = this;
    if (this.isAsync) {
      const head = `(async () => {${this.functions.map((name) => `globalThis.${name} = ${name};`).join('')}`;
      edits.unshift([0, 0, head]);
      edits.push([source.length, source.length, '\n})()']);
    }
    const columns = new Columns(source);
    let text = '';
    let at = 0;
    for (const [start, end, replacement] of edits.sort((a, b) => a[0] - b[0])) {
      text += source.slice(at, start) + replacement;
      columns.edited(start, end, replacement);
      at = end;
    }
    return { source: text + source.slice(at), names: [...this.names], isAsync: this.isAsync, hasValue: this.hasValue, columns };
  }
}

// Finds the column in the user's source for one in what was made of it; lines are the same.
class Columns {
  constructor(source) {
    this.source = source;
    this.edits = new Map();
  }

  edited(start, end, replacement) {
    const line = this.source.slice(0, start).split('\n').length;
    const column = start - (this.source.lastIndexOf('\n', start - 1) + 1);
    const before = this.edits.get(line) ?? [];
    const delta = (before.at(-1)?.delta ?? 0) + replacement.length - (end - start);
    this.edits.set(line, [...before, { from: column + delta + (end - start), delta }]);
  }

  original(line, column) {
    const edit = this.edits.get(line)?.findLast(({ from }) => column > from);
    return column - (edit?.delta ?? 0);
  }
}

module.exports = { prepare };
