import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_ERRORS } from '@trawl/contracts';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { Root } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { apiPages } from './api-pages';
import { element, type Node } from './nodes';
import { answersOf, EXAMPLES, errorsOf, OPERATIONS, type Operation, SCHEMAS } from './openapi';
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
    const code = javaScript(PLATFORM_URL, operation('createInput'), example);
    expect(code).toContain("  method: 'POST',");
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
          body: JSON.stringify(example.body),
        },
      ],
    ]);
  });
});
