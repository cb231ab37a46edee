import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_ERRORS } from '@trawl/contracts';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { Root } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';
import { apiPages } from './api-pages';
import { answerFields, bodyFields } from './fields';
import { element, type Node } from './nodes';
import { answersOf, api, EXAMPLES, errorsOf, type Operation, resolved, type Schema } from './openapi';
import { curl, javaScript } from './snippets';

const PLATFORM_URL = 'https://trawl.example.com';
const DOCS = join(__dirname, '../../../docs');
const STATUS_CODES: Record<string, number> = API_ERRORS;

const operation = (operationId: string): Operation =>
  api().operations.find(candidate => candidate.operationId === operationId) as Operation;

const generated = (name: string, attributes: Record<string, string>): Node[] => {
  const root: Root = { type: 'root', children: [element(name, attributes)] };
  apiPages({ platformUrl: PLATFORM_URL })(root);
  return root.children;
};

/** Returns the nodes and all that are inside them. */
const withInner = (nodes: Node[]): Node[] => {
  const all: Node[] = [];
  visit({ type: 'root', children: nodes } satisfies Root, node => {
    if (node.type !== 'root') all.push(node);
  });
  return all;
};

describe('the API pages', () => {
  it('contain every documented operation exactly once', () => {
    const tags = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.mdx'))
      .flatMap(file => [...readFileSync(join(DOCS, file), 'utf8').matchAll(/<ApiRoutes tag="([^"]+)"/g)])
      .map(([, tag]) => tag as string);
    const shown = tags.flatMap(tag => api().operations.filter(candidate => candidate.tags.includes(tag)));
    expect(shown.map(({ operationId }) => operationId).sort()).toEqual(
      api()
        .operations.map(({ operationId }) => operationId)
        .sort(),
    );
  });

  it('exist for each tag of the OpenAPI document, in its order', () => {
    const pages = readdirSync(join(DOCS, 'joint-api'))
      .filter(file => file.endsWith('-routes.mdx'))
      .map(file => readFileSync(join(DOCS, 'joint-api', file), 'utf8'))
      .map(text => ({ text, place: Number(/^sidebar_position: (.*)$/m.exec(text)?.[1]) }))
      .sort((one, other) => one.place - other.place)
      .map(({ text }) => [...text.matchAll(/<ApiRoutes tag="([^"]+)"/g)].map(([, tag]) => tag));
    expect(pages).toEqual(api().tags.map(tag => [tag]));
  });

  it('show each route with parameters, body, response, errors and both examples', () => {
    const text = generated('ApiRoutes', { tag: 'Execute skript' })
      .map(node => textOf(node))
      .join('\n');
    for (const part of [
      'POST /joint-api/execute-skript/single-worker/start',
      'Idempotency-Key',
      'wait_ms integer',
      'skript_id string · required',
      'already_running',
      'The run has ended, successfully or not.',
      'curl https://trawl.example.com/joint-api/execute-skript/single-worker/start',
      "await fetch('https://trawl.example.com/joint-api/execute-skript/single-worker/start'",
    ]) {
      expect(text).toContain(part);
    }
  });

  it('list required fields before optional ones', () => {
    const tags = [...new Set(api().operations.flatMap(({ tags }) => tags))];
    const marks = tags
      .flatMap(tag => withInner(generated('ApiRoutes', { tag })))
      .filter(node => node.type === 'mdxJsxFlowElement')
      .filter(({ attributes }) => attributes.some(({ value }) => value === 'api-fields'))
      // A required field of an optional object stays below its object.
      .map(({ children }) => children.map(item => textOf(item)).filter(text => !/^\w+(\[\])?\./.test(text)))
      .map(texts => texts.map(text => / · required/.test(text)));
    expect(marks.length).toBeGreaterThan(0);
    for (const list of marks) expect(list).toEqual(list.toSorted((one, other) => Number(other) - Number(one)));
  });

  it('show the type of each field, and which response fields are optional', () => {
    const fields: Schema = {
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 2000 },
        note: { type: 'string', maxLength: 80 },
        size: { type: 'integer', minimum: 0, maximum: 60 },
        force: { type: 'boolean', default: false },
        kind: { type: 'string', enum: ['sci', null], nullable: true },
      },
    };
    const shown = (list: Node) => ('children' in list ? list.children.map(item => textOf(item)) : []);
    expect(shown(answerFields(fields, () => undefined))).toEqual([
      'name string1 to 2,000 characters.',
      'note string · optionalAt most 80 characters.',
      'size integer · optional0 to 60.',
      'force boolean · optionalDefault false.',
      'kind string or null · optionalOne of sci.',
    ]);
    expect(shown(bodyFields(fields, () => undefined))[0]).toBe('name string · required1 to 2,000 characters.');
  });

  it('omit fields that are nested three levels deep', () => {
    const deep: Schema = { properties: { a: { properties: { b: { properties: { c: { type: 'string' } } } } } } };
    const text = textOf(answerFields(deep, () => undefined));
    expect(text).toContain('a.b');
    expect(text).not.toContain('a.b.c');
  });

  it('keep the description of a field that refers to an object schema', () => {
    const [name] = Object.keys(api().schemas);
    const own = { type: 'of its own', description: 'Of this run' };
    const $ref = `#/components/schemas/${name}`;
    for (const reference of [
      { $ref, ...own },
      { allOf: [{ $ref }], ...own },
    ])
      expect(resolved(reference)).toEqual({ ...api().schemas[name as string], ...own });
  });

  it('show the fields of a list response, such as total and next, beside its items', () => {
    const list = resolved({ $ref: '#/components/schemas/ScheduleList' });
    expect(Object.keys(list.properties ?? {})).toEqual(['total', 'total_capped', 'limit', 'skip', 'next', 'items']);
    expect(list.required).toEqual(['total', 'limit', 'skip', 'items']);
  });

  it('link each response to the description of its object', () => {
    const linked = (tag: string) =>
      withInner(generated('ApiRoutes', { tag }))
        .flatMap(node => (node.type === 'paragraph' ? node.children : []))
        .flatMap(part => (part.type === 'link' ? [part.url] : []));
    const skript = '/docs/joint-api/skripts-routes#object-skript';
    expect(linked('Skripts')).toEqual(['/docs/joint-api/lists', skript, skript, skript, skript]);
    expect(new Set(linked('Execute skript'))).toEqual(
      new Set(['/docs/joint-api/skript-executions-routes#object-execution']),
    );
    expect(linked('Account')).toEqual(['/docs/joint-api/account-routes#object-account']);
    for (const tag of ['Echoes', 'Health']) expect(linked(tag)).toEqual([]);
  });

  it('fail the build for an unknown tag, schema or example', () => {
    expect(() => generated('ApiRoutes', { tag: 'Skript' })).toThrow('no operation with the tag "Skript"');
    expect(() => generated('ApiRoutes', {})).toThrow('<ApiRoutes> needs tag="…"');
    expect(() => generated('ApiObject', { schema: 'Skrypt', title: 'x', example: 'getSkript' })).toThrow('Skrypt');
    expect(() => generated('ApiObject', { schema: 'Skript', title: 'x', example: 'gone' })).toThrow('no call of gone');
  });

  it('name only known error codes, each under its HTTP status', () => {
    for (const { status, codes } of api().operations.flatMap(errorsOf)) {
      for (const code of codes) expect([code, STATUS_CODES[code]]).toEqual([code, Number(status)]);
    }
  });
});

describe('the recorded API calls', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'openapi.yaml', components: { schemas: api().schemas } });
  const check = (schema: object, value: unknown) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi.yaml#/components/');
    const validate = ajv.compile(JSON.parse(text));
    expect(validate(value) ? [] : validate.errors).toEqual([]);
  };

  it('contain one call of each documented operation', () => {
    // To fix this, edit website/scripts/record-api.mjs, then run npm run record-api -w @trawl/website.
    expect(Object.keys(EXAMPLES).sort()).toEqual(
      api()
        .operations.map(({ operationId }) => operationId)
        .sort(),
    );
  });

  it.each(Object.entries(EXAMPLES))('of %s match its documentation', (operationId, example) => {
    const documented = operation(operationId);
    const pattern = documented.path.replaceAll(/\{[^}]+\}/g, '[^/]+');
    const { pathname, searchParams } = new URL(example.path, 'http://localhost');
    expect(pathname).toMatch(new RegExp(`^${pattern}$`));
    const known = documented.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
    expect([...searchParams.keys()].filter(name => !known.includes(name))).toEqual([]);
    const body = documented.requestBody?.content['application/json']?.schema;
    if (body) check(body, example.body);
    const answer = answersOf(documented).find(({ status }) => status === String(example.status));
    expect(answer).toBeDefined();
    if (answer?.schema && answer.type === 'application/json') check(answer.schema, example.answer);
  });

  it('contain no token, key or password', () => {
    expect(JSON.stringify(EXAMPLES)).not.toMatch(/eyJ[\w-]{20,}|tr[wk]_\w{8,}/);
    expect(JSON.stringify(EXAMPLES)).not.toMatch(/"password":"[^…]/);
  });
});

describe('a code example on an API page', () => {
  const example = { path: '/joint-api/inputs/addnew', body: { name: "it's", val: ['a'] }, status: 201, answer: {} };

  it('reads the file of an upload, and saves the file of a download', () => {
    const path = '/joint-api/skripts/upload';
    const upload = { path, file: 'books.zip', status: 200, answer: {} };
    expect(curl(PLATFORM_URL, operation('uploadSkript'), upload)).toContain(
      `curl ${PLATFORM_URL}${path} \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -F archive=@books.zip`,
    );
    expect(javaScript(PLATFORM_URL, operation('uploadSkript'), upload)).toContain(
      "form.append('archive', await openAsBlob('books.zip'))",
    );
    const download = {
      path: '/joint-api/skripts/1/download',
      answer_file: 'books.zip',
      status: 200,
      answer: 'books.zip',
    };
    expect(curl(PLATFORM_URL, operation('downloadSkript'), download)).toContain('-o books.zip');
    expect(javaScript(PLATFORM_URL, operation('downloadSkript'), download)).toContain('await response.arrayBuffer()');
  });

  it('is quoted for the shell if it uses curl', () => {
    expect(curl(PLATFORM_URL, operation('createInput'), example)).toBe(
      [
        'curl https://trawl.example.com/joint-api/inputs/addnew \\',
        '  -H "Authorization: Bearer $TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d '{\n  "name": "it'\\''s",\n  "val": [\n    "a"\n  ]\n}'`,
      ].join('\n'),
    );
    expect(curl(PLATFORM_URL, operation('logout'), { ...example, path: '/panel/logout', body: undefined })).toContain(
      'curl -X POST ',
    );
    expect(curl(PLATFORM_URL, operation('isLive'), { ...example, path: '/health/live?a=1&b=2', body: undefined })).toBe(
      "curl 'https://trawl.example.com/health/live?a=1&b=2'",
    );
  });

  it('is valid JavaScript that makes the same call as the curl example', () => {
    const body = { name: `it's "new"`, 'a-b': ['a\\b\n', true, null, 4, {}] };
    const code = javaScript(PLATFORM_URL, operation('createInput'), { ...example, body });
    expect(code).toContain("  method: 'POST',");
    expect(code).toContain(`name: 'it\\'s "new"',`);
    expect(code).toContain("'a-b': [");
    const calls: unknown[] = [];
    const fetch = async (...call: unknown[]) => {
      calls.push(call);
      return { json: async () => ({}) };
    };
    new Function('fetch', 'token', `return (async () => { ${code} })()`)(fetch, 't');
    expect(calls).toEqual([
      [
        'https://trawl.example.com/joint-api/inputs/addnew',
        {
          method: 'POST',
          headers: { Authorization: 'Bearer t', 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        },
      ],
    ]);
  });
});
