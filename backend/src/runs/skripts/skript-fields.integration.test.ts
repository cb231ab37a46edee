import { LIMITS } from '@trawl/contracts';
import { appForFile } from '../../../test/test-app.js';

const { developer: api } = appForFile();

let n = 0;
const add = (fields: object) => api('POST', '/joint-api/skripts/addnew', { title: `Fields ${++n}`, ...fields });

const schema = { type: 'object', properties: { url: { type: 'string', pattern: '^https:' } }, required: ['url'] };
const nested = (levels: number): object => (levels === 0 ? {} : { not: nested(levels - 1) });

test('a new skript gets defaults for warm, retries, retry_delay_ms and input_schema', async () => {
  const { status, body } = await add({});
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ warm: false, retries: 0, retry_delay_ms: 5_000, input_schema: null }),
  ]);
});

test('the fields of a skript are stored as sent, and PUT changes only the fields it contains', async () => {
  const fields = { warm: true, retries: 10, retry_delay_ms: 0, input_schema: schema };
  const { body } = await add(fields);
  expect(body).toMatchObject(fields);
  const changed = await api('PUT', `/joint-api/skripts/${body.id}`, { retries: 3 });
  expect(changed.body).toMatchObject({ ...fields, retries: 3 });
  expect((await api('PUT', `/joint-api/skripts/${body.id}`, changed.body)).body).toMatchObject({
    retries: 3,
    input_schema: schema,
  });
  expect((await api('PUT', `/joint-api/skripts/${body.id}`, { input_schema: null })).body.input_schema).toBeNull();
});

test('a skript names a pool of proxies, or none', async () => {
  const { body } = await add({ proxy: 'residential' });
  expect(body.proxy).toBe('residential');
  const put = (proxy: unknown) => api('PUT', `/joint-api/skripts/${body.id}`, { proxy });
  expect(await put('__proto__')).toMatchObject({
    status: 400,
    body: { error_message: expect.stringContaining('letters') },
  });
  expect((await put('x'.repeat(1_000_000))).status).toBe(400);
  expect((await put(null)).body.proxy).toBeNull();
});

test('a list of skripts contains the input schema only if it is selected', async () => {
  const { body } = await add({ input_schema: schema });
  const list = async (select: string) =>
    (await api('GET', `/joint-api/skripts/list?title_contains=${encodeURIComponent(body.title)}${select}`)).body.items;
  expect((await list(''))[0]).not.toHaveProperty('input_schema');
  expect((await list(''))[0]).toMatchObject({ title: body.title, files: [], howto: '', retries: 0 });
  expect(await list('&select=input_schema')).toEqual([{ id: body.id, input_schema: schema }]);
});

test.each([
  ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{}] }],
  ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'null' }] }],
  ['with local references', { $defs: { a: { type: 'string' } }, properties: { $ref: { $ref: '#/$defs/a' } } }],
  ['with custom keywords', { 'x-label': 'Address', format: 'my-own' }],
  ['that is empty', {}],
  ['at the depth limit', nested(63)],
])('a skript may have an input schema: %s', async (_kind, input_schema) => {
  expect(await add({ input_schema })).toMatchObject({ status: 201, body: { input_schema } });
});

test.each([
  ['a text', 'text', 'JSON Schema object'],
  ['a list', [], 'JSON Schema object'],
  ['true', true, 'JSON Schema object'],
  ['an unknown type', { type: 'sting' }, 'not a valid JSON Schema: /type'],
  ['an invalid pattern', { properties: { a: { pattern: '(' } } }, 'not a valid regular expression: ('],
  ['an invalid property pattern', { patternProperties: { '[': {} } }, 'not a valid regular expression: ['],
  ['another draft', { $schema: 'http://example.com/schema' }, '$schema'],
  ['a draft that is not a string', { $schema: {} }, '$schema'],
  ['a name from Object.prototype', { $schema: 'constructor' }, '$schema'],
  ['a remote reference', { properties: { a: { $ref: 'http://127.0.0.1:1/x.json' } } }, 'http://127.0.0.1:1/x.json'],
  ['deep nesting', nested(64), 'deeper than 64'],
  ['a long text', { description: 'x'.repeat(LIMITS.inputSchemaBytes) }, String(LIMITS.inputSchemaBytes)],
])('a skript’s input schema is refused: %s', async (_kind, input_schema, message) => {
  const { status, body } = await add({ input_schema });
  expect([status, body.error_code, body.details?.[0]?.field]).toEqual([400, 'validation_failed', 'input_schema']);
  expect(body.error_message).toContain(message);
});

test.each([
  ['warm', 'yes'],
  ['retries', 11],
  ['retries', -1],
  ['retries', 1.5],
  ['retry_delay_ms', 3_600_001],
  ['retry_delay_ms', null],
])('a skript’s %s cannot be %j', async (field, value) => {
  const { status, body } = await add({ [field]: value });
  expect([status, body.details?.[0]?.field]).toEqual([400, field]);
});
