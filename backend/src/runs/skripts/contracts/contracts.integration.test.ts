import { appForFile } from '../../../../test/test-app.js';

const { developer: api } = appForFile();

let added = 0;
const add = (rows: unknown) => api('POST', '/joint-api/skripts/addnew', { title: `Contract ${++added}`, rows });

const doubling = (levels: number) => ({
  $ref: '#/$defs/0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      level,
      level + 1 < levels ? { allOf: [{ $ref: `#/$defs/${level + 1}` }, { $ref: `#/$defs/${level + 1}` }] } : {},
    ]),
  ),
});

test('a skript keeps its contract, which lists contain only if it is selected, and null removes it', async () => {
  const rows = {
    min: 1,
    max: 20,
    key: ['sku', 'shop.id'],
    fill: { price: 0.95 },
    schema: { type: 'object', properties: { child: { $ref: '#' } } },
    fresh_hours: 26,
    on_broken: 'hold',
  };
  const { status, body } = await add(rows);
  expect([status, body.rows]).toEqual([201, rows]);
  const list = async (select: string) =>
    (await api('GET', `/joint-api/skripts/list?title_contains=${encodeURIComponent(body.title)}${select}`)).body.items;
  expect((await list(''))[0]).not.toHaveProperty('rows');
  expect((await list('&select=rows'))[0]).toEqual({ id: body.id, rows });
  expect((await api('PUT', `/joint-api/skripts/${body.id}`, { rows: null })).body.rows).toBeNull();
});

test.each([
  ['a text', 'text', 'rows', 'rows must be an object'],
  ['a list', [], 'rows', 'rows must be an object'],
  ['an unknown field', { mni: 1 }, 'rows.mni', 'rows.mni is not a field'],
  ['a negative number', { min: -1 }, 'rows.min', 'rows.min must be a whole number'],
  ['more rows than the maximum', { min: 3, max: 2 }, 'rows.min', 'at most rows.max; you sent 3 and 2'],
  ['an empty key', { key: '' }, 'rows.key', 'rows.key must be a field'],
  ['a key with an empty name', { key: 'a..b' }, 'rows.key', 'rows.key must be a field'],
  ['percentages', { fill: { price: 95 } }, 'rows.fill', 'rows.fill must be an object'],
  ['a NUL in a path', { fill: { 'a\0': 1 } }, 'rows', 'NUL'],
  ['half of a surrogate pair', { key: '\ud800' }, 'rows', 'surrogate'],
  ['half of a surrogate pair in a name', { schema: { properties: { '\udc00': {} } } }, 'rows', 'surrogate'],
  ['hours that are a text', { fresh_hours: '26' }, 'rows.fresh_hours', 'a whole number between 1 and'],
  ['an unknown reaction', { on_broken: 'explode' }, 'rows.on_broken', 'one of notify, fail, hold'],
  ['a schema that is not valid', { schema: { type: 'sting' } }, 'rows.schema', 'not a valid JSON Schema'],
  ['a remote reference', { schema: { $ref: 'http://127.0.0.1:1/x' } }, 'rows.schema', 'must begin with #'],
  ['a reference to nothing', { schema: { $ref: '#/$defs/none' } }, 'rows.schema', 'cannot be used'],
  ['a reference to itself', { schema: { $ref: '#' } }, 'rows.schema', 'leads to itself'],
  [
    'a field whose reference leads to itself',
    { schema: { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } } },
    'rows.schema',
    'leads to itself',
  ],
  ['references that double', { schema: doubling(40) }, 'rows.schema', 'takes longer than'],
  ['a slow regular expression', { schema: { pattern: '^(\\w+\\s?)*$' } }, 'rows.schema', 'takes longer than'],
  [
    'a slow regular expression of names',
    { schema: { patternProperties: { '^(a|a)*$': {} } } },
    'rows.schema',
    'takes longer than',
  ],
  ['a schema of 70 KB', { schema: { title: 'x'.repeat(70_000) } }, 'rows.schema', 'the limit is'],
  ['deep nesting', { schema: JSON.parse(`${'{"not":'.repeat(100)}{}${'}'.repeat(100)}`) }, 'rows.schema', 'deeper'],
])('a contract is refused: %s', async (_kind, rows, field, message) => {
  const { status, body } = await add(rows);
  expect([status, body.error_code, body.details?.[0]?.field]).toEqual([400, 'validation_failed', field]);
  expect(body.error_message).toContain(message);
});

test('a regular expression may name a NUL character, and a text may have whole surrogate pairs', async () => {
  const rows = { key: '😀', schema: { properties: { text: { pattern: '^[^\\u0000]*$' } } } };
  expect((await add(rows)).body.rows).toEqual(rows);
});

test('an upload sets the contract of its manifest, and removes it without one', async () => {
  const upload = (manifest: object) =>
    api('POST', '/joint-api/skripts/upload-files', {
      files: [
        { name: 'manifest.json', content: JSON.stringify({ title: 'Uploaded', ...manifest }) },
        { name: 'main.js', content: '' },
      ],
    });
  expect((await upload({ rows: { min: 1 } })).body.skript.rows).toEqual({ min: 1 });
  const refused = await upload({ rows: { min: 'one' } });
  expect([refused.status, refused.body.error_code]).toEqual([422, 'manifest_invalid']);
  expect((await upload({})).body.skript.rows).toBeNull();
});
