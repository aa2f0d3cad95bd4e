'use strict';
// Draws the page from the OpenAPI document beside it. All text goes in as text nodes, never as markup.
(() => {
  const spec = JSON.parse(document.getElementById('spec').textContent);
  const methods = ['get', 'post', 'put', 'patch', 'delete'];

  const el = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
    return node;
  };
  const deref = (node) => node && node.$ref
    ? node.$ref.slice(2).split('/').reduce((at, key) => at[key], spec)
    : node;
  const refName = (node) => node.$ref.split('/').pop();

  /** Bold, code and line breaks: the little Markdown that the spec uses. */
  const prose = (text) => (text || '').trim().split(/\n\s*\n/).map((paragraph) =>
    el('p', {}, paragraph.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) =>
      part.startsWith('`') ? el('code', {}, part.slice(1, -1))
        : part.startsWith('**') ? el('strong', {}, part.slice(2, -2)) : part)));
  const line = (text) => prose(text).flatMap((p) => [...p.childNodes]);

  const typeOf = (schema) => {
    if (!schema) return ['anything'];
    if (schema.$ref) return [el('a', {href: '#schema-' + refName(schema)}, refName(schema))];
    if (schema.oneOf) return schema.oneOf.flatMap((one, i) => [i ? ' or ' : '', ...typeOf(one)]);
    if (schema.const !== undefined) return [JSON.stringify(schema.const)];
    if (schema.enum) return [schema.enum.join(' | ')];
    if (schema.type === 'array') return ['list of ', ...typeOf(schema.items)];
    const parts = [schema.format === 'binary' ? 'bytes' : schema.format || schema.type || 'object'];
    if (schema.minimum !== undefined) parts.push(` ${schema.minimum} … ${schema.maximum ?? ''}`);
    if (schema.default !== undefined) parts.push(` = ${schema.default}`);
    return parts;
  };

  const row = (name, schema, required, where, text) => el('tr', {},
    el('td', {}, el('code', {}, name), required ? el('span', {class: 'need'}, 'required') : null,
      where ? el('div', {class: 'where'}, where) : null),
    el('td', {}, el('div', {class: 'type'}, ...typeOf(schema)), ...line(text)));

  const fields = (schema) => el('table', {}, Object.entries(schema.properties || {}).map(([name, property]) =>
    row(name, property, (schema.required || []).includes(name), '',
      property.description || (property.$ref ? deref(property).description : ''))));

  const curl = (method, path, operation, parameters) => {
    const lines = ['curl'];
    if (method !== 'get') lines[0] += ' -X ' + method.toUpperCase();
    const open = operation.security && operation.security.some((s) => Object.keys(s).length === 0)
      || (operation.security && operation.security.length === 0);
    if (!open) lines.push('-H "Authorization: Bearer $ATOLL_API_KEY"');
    const content = operation.requestBody ? operation.requestBody.content : {};
    const json = content['application/json'];
    if (json) {
      lines.push("-H 'Content-Type: application/json'");
      lines.push("-d '" + JSON.stringify(json.example || {}) + "'");
    } else if (Object.keys(content).length) {
      lines.push(`-H 'Content-Type: ${Object.keys(content)[0]}'`);
      lines.push('--data-binary @local-file');
    }
    const query = parameters.filter((p) => p.in === 'query' && p.required).map((p) => p.name + '=' + (p.example || '/tmp/file')).join('&');
    const name = path.includes('templates') ? 'python' : path.includes('spaces') ? 'my-space' : 'default';
    const url = '$ATOLL_URL' + path.replace('{sb}', 'my-sandbox').replace('{run}', 'run_5f0c1b')
      .replace('{snap}', 'my-snapshot').replace('{pool}', 'my-pool').replace('{name}', name).replace('{id}', 'key_1');
    lines.push('"' + url + (query ? '?' + query : '') + '"');
    return el('pre', {}, el('code', {}, lines.join(' \\\n  ')));
  };

  const example = (media) => media.example === undefined ? null : el('pre', {}, el('code', {},
    typeof media.example === 'string' ? media.example.trim() : JSON.stringify(media.example, null, 2)));

  const article = (path, method, item, operation) => {
    const parameters = [...(item.parameters || []), ...(operation.parameters || [])].map(deref);
    const body = el('div', {}, ...prose(operation.description));
    if (parameters.length) {
      body.append(el('h4', {}, 'Parameters'), el('table', {}, parameters.map((p) =>
        row(p.name, p.schema, p.required, 'in ' + p.in, p.description))));
    }
    if (operation.requestBody) {
      body.append(el('h4', {}, 'Body'));
      for (const [type, media] of Object.entries(operation.requestBody.content)) {
        body.append(el('p', {}, el('code', {}, type), ' ', ...typeOf(media.schema)));
      }
    }
    body.append(el('h4', {}, 'Answers'));
    for (const [status, reference] of Object.entries(operation.responses)) {
      const answer = deref(reference);
      const content = Object.entries(answer.content || {});
      body.append(el('p', {}, el('strong', {}, status === 'default' ? 'otherwise' : status), ' ', ...line(answer.description)));
      for (const [type, media] of content) {
        if (status === 'default') break;
        body.append(el('p', {}, el('code', {}, type), ' ', ...typeOf(media.schema)));
        const shown = example(media);
        if (shown) body.append(shown);
      }
    }
    body.append(el('h4', {}, 'With curl'), curl(method, path, operation, parameters));
    return el('article', {id: operation.operationId},
      el('header', {}, el('span', {class: 'verb ' + method}, method.toUpperCase()), el('code', {}, path),
        el('span', {class: 'summary'}, operation.summary)), body);
  };

  const nav = document.getElementById('nav');
  const main = document.getElementById('main');
  main.replaceChildren(el('h1', {}, spec.info.title + ' API'), el('p', {}, spec.info.summary), ...prose(spec.info.description),
    el('p', {}, 'As a document: ', el('a', {href: '/openapi.yaml'}, '/openapi.yaml')));
  const search = el('input', {type: 'search', placeholder: 'Find an operation', 'aria-label': 'Find an operation'});
  nav.append(el('p', {class: 'brand'}, el('a', {href: '#'}, spec.info.title)), search);

  for (const tag of spec.tags) {
    main.append(el('h2', {id: 'tag-' + tag.name}, tag.name), el('p', {}, tag.description));
    const section = el('section', {}, el('h2', {}, tag.name));
    for (const [path, item] of Object.entries(spec.paths)) {
      for (const method of methods) {
        const operation = item[method];
        if (!operation || operation.tags[0] !== tag.name) continue;
        main.append(article(path, method, item, operation));
        section.append(el('a', {href: '#' + operation.operationId, title: method.toUpperCase() + ' ' + path},
          el('span', {class: 'verb ' + method}, method.toUpperCase()), operation.summary));
      }
    }
    nav.append(section);
  }

  main.append(el('h2', {id: 'schemas'}, 'Schemas'), el('p', {}, 'Every object that crosses the API.'));
  for (const [name, schema] of Object.entries(spec.components.schemas)) {
    const body = el('div', {}, ...prose(schema.description));
    if (schema.properties) body.append(fields(schema));
    else body.append(el('p', {}, el('span', {class: 'type'}, ...typeOf(schema))));
    main.append(el('article', {id: 'schema-' + name}, el('header', {}, el('code', {}, name)), body));
  }

  search.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase();
    for (const section of nav.querySelectorAll('section')) {
      let any = false;
      for (const link of section.querySelectorAll('a')) {
        const found = (link.textContent + ' ' + link.title).toLowerCase().includes(wanted);
        link.hidden = !found;
        any = any || found;
      }
      section.hidden = !any;
    }
  });
})();
