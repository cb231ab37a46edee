import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_ERRORS } from '@trawl/contracts';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { Root } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { apiPages } from './api-pages';
import { answerFields, bodyFields } from './fields';
import { element, type Node } from './nodes';
import {
  answersOf,
  EXAMPLES,
  errorsOf,
  OPERATIONS,
  type Operation,
  resolved,
  SCHEMAS,
  type Schema,
  TAGS,
} from './openapi';
import { curl, javaScript } from './snippets';

const PLATFORM_URL = 'https://trawl.example.com';
const DOCS = join(__dirname, '../../../docs');
const STATUS_CODES: Record<string, number> = API_ERRORS;

const operation = (operationId: string): Operation =>
  OPERATIONS.find(candidate => candidate.operationId === operationId) as Operation;

const generated = (name: string, attributes: Record<string, string>): Node[] => {
  const root: Root = { type: 'root', children: [element(name, attributes)] };
  apiPages({ platformUrl: PLATFORM_URL })(root);
  return root.children;
};

describe('the API pages', () => {
  it('have every documented operation on exactly one page', () => {
    const tags = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.mdx'))
      .flatMap(file => [...readFileSync(join(DOCS, file), 'utf8').matchAll(/<ApiRoutes tag="([^"]+)"/g)])
      .map(([, tag]) => tag as string);
    const shown = tags.flatMap(tag => OPERATIONS.filter(candidate => candidate.tags.includes(tag)));
    expect(shown.map(({ operationId }) => operationId).sort()).toEqual(
      OPERATIONS.map(({ operationId }) => operationId).sort(),
    );
  });

  it('are one for each tag of the document, in its order', () => {
    const pages = readdirSync(join(DOCS, 'joint-api'))
      .filter(file => file.endsWith('-routes.mdx'))
      .map(file => readFileSync(join(DOCS, 'joint-api', file), 'utf8'))
      .map(text => ({ text, place: Number(/^sidebar_position: (.*)$/m.exec(text)?.[1]) }))
      .sort((one, other) => one.place - other.place)
      .map(({ text }) => [...text.matchAll(/<ApiRoutes tag="([^"]+)"/g)].map(([, tag]) => tag));
    expect(pages).toEqual(TAGS.map(tag => [tag]));
  });

  it('show each route with its parameters, body, answer, errors and both examples', () => {
    const text = generated('ApiRoutes', { tag: 'Execute skript' })
      .map(node => textOf(node))
      .join('\n');
    for (const part of [
      'POST /joint-api/execute-skript/single-worker/start',
      'Idempotency-Key',
      'wait_ms whole number',
      'worker_id string · required',
      'already_running',
      'The run has ended, in whichever way.',
      'curl https://trawl.example.com/joint-api/execute-skript/single-worker/start',
      "await fetch('https://trawl.example.com/joint-api/execute-skript/single-worker/start'",
    ]) {
      expect(text).toContain(part);
    }
  });

  it('name what must be sent before what may be', () => {
    const tags = [...new Set(OPERATIONS.flatMap(({ tags }) => tags))];
    const marks = tags
      .flatMap(tag => generated('ApiRoutes', { tag }))
      .filter(node => node.type === 'mdxJsxFlowElement')
      .filter(({ attributes }) => attributes.some(({ value }) => value === 'api-fields'))
      .map(({ children }) => children.map(item => / · required/.test(textOf(item))));
    expect(marks.length).toBeGreaterThan(0);
    for (const list of marks) expect(list).toEqual(list.toSorted((one, other) => Number(other) - Number(one)));
  });

  it('say of each field what it takes, and which of an answer may be missing', () => {
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
      'note string · not alwaysAt most 80 characters.',
      'size whole number · not always0 to 60.',
      'force true or false · not alwaysDefault false.',
      'kind string or null · not alwaysOne of sci.',
    ]);
    expect(shown(bodyFields(fields, () => undefined))[0]).toBe('name string · required1 to 2,000 characters.');
  });

  it('leave to the example what is deep inside an answer', () => {
    const deep: Schema = { properties: { a: { properties: { b: { properties: { c: { type: 'string' } } } } } } };
    const text = textOf(answerFields(deep, () => undefined));
    expect(text).toContain('a.b');
    expect(text).not.toContain('a.b.c');
  });

  it('keep what a field says of itself beside the object that it refers to', () => {
    const [name] = Object.keys(SCHEMAS);
    const reference = { $ref: `#/components/schemas/${name}`, type: 'of its own', description: 'Of this run' };
    expect(resolved(reference)).toEqual({ ...SCHEMAS[name as string], ...reference });
  });

  it('lead from each answer to its object, and from no answer to another', () => {
    const linked = (tag: string) =>
      generated('ApiRoutes', { tag })
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

  it('fail the build when a page names a tag, a schema or a call that is not there', () => {
    expect(() => generated('ApiRoutes', { tag: 'Skript' })).toThrow('no operation with the tag "Skript"');
    expect(() => generated('ApiRoutes', {})).toThrow('<ApiRoutes> needs tag="…"');
    expect(() => generated('ApiObject', { schema: 'Skrypt', title: 'x', example: 'getSkript' })).toThrow('Skrypt');
    expect(() => generated('ApiObject', { schema: 'Skript', title: 'x', example: 'gone' })).toThrow('no call of gone');
  });

  it('name only error codes that the contracts have, under their status', () => {
    for (const { status, codes } of OPERATIONS.flatMap(errorsOf)) {
      for (const code of codes) expect([code, STATUS_CODES[code]]).toEqual([code, Number(status)]);
    }
  });
});

describe('the recorded calls', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'openapi.yaml', components: { schemas: SCHEMAS } });
  const check = (schema: object, value: unknown) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi.yaml#/components/');
    const validate = ajv.compile(JSON.parse(text));
    expect(validate(value) ? [] : validate.errors).toEqual([]);
  };

  it('are one call of each documented operation', () => {
    // Missing or too many: website/scripts/record-api.mjs says what is called, npm run record-api -w @trawl/website calls it.
    expect(Object.keys(EXAMPLES).sort()).toEqual(OPERATIONS.map(({ operationId }) => operationId).sort());
  });

  it.each(Object.entries(EXAMPLES))('%s was sent and answered as documented', (operationId, example) => {
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

  it('hold no token, key or password', () => {
    expect(JSON.stringify(EXAMPLES)).not.toMatch(/eyJ[\w-]{20,}|tr[wk]_\w{8,}/);
    expect(JSON.stringify(EXAMPLES)).not.toMatch(/"password":"[^…]/);
  });
});

describe('an example', () => {
  const example = { path: '/joint-api/inputs/addnew', body: { name: "it's", val: ['a'] }, status: 201, answer: {} };

  it('of a file that is sent or answered reads and keeps it', () => {
    const path = '/joint-api/skripts/upload';
    const upload = { path, file: 'books.zip', status: 200, answer: {} };
    expect(curl(PLATFORM_URL, operation('uploadSkript'), upload)).toContain(
      `curl ${PLATFORM_URL}${path} \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/zip' \\\n  --data-binary @books.zip`,
    );
    expect(javaScript(PLATFORM_URL, operation('uploadSkript'), upload)).toContain("body: await readFile('books.zip')");
    const download = {
      path: '/joint-api/skripts/1/download',
      answer_file: 'books.zip',
      status: 200,
      answer: 'books.zip',
    };
    expect(curl(PLATFORM_URL, operation('downloadSkript'), download)).toContain('-o books.zip');
    expect(javaScript(PLATFORM_URL, operation('downloadSkript'), download)).toContain('await response.arrayBuffer()');
  });

  it('in curl quotes for the shell', () => {
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

  it('in JavaScript says the same, and is JavaScript', () => {
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
