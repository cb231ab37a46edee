import { Code, DBRef, Decimal128, Long, MinKey, ObjectId, serialize, Timestamp } from 'bson';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import readXlsx from 'read-excel-file/node';
import { JsonText } from '../../../data/storage/values/exact-json.js';
import { ColumnSet, MAX_COLUMNS } from './columns.js';
import { convertDeclared, millisecondsOf } from './declared.js';
import { type Fields, fieldsOf, type StoredDocument } from './documents.js';
import { type WriteOptions, writeExport } from './write-export.js';
import { writeXlsx } from './xlsx.js';

const defaults: WriteOptions = { format: 'csv', fields: null, flatten: true };

async function* batched<T extends StoredDocument>(documents: T[], size = 2): AsyncGenerator<T[]> {
  for (let start = 0; start < documents.length; start += size) yield documents.slice(start, start + size);
}

async function fileOf(documents: StoredDocument[], options: Partial<WriteOptions>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await writeExport(() => batched(documents), { ...defaults, ...options }))
    pieces.push(piece);
  return Buffer.concat(pieces);
}

const csvOf = async (documents: StoredDocument[], options: Partial<WriteOptions> = {}): Promise<string[][]> =>
  parse(await fileOf(documents, { ...options, format: 'csv' }));

const _id = new ObjectId('64b7f0c2a1d3e4f5a6b7c8d9');
const ID = String(_id);

describe('columns of an export', () => {
  it('come from all documents, in the order of their first appearance, with dotted paths', async () => {
    const documents = [{ _id, a: 1 }, { b: { c: { d: 2 }, e: 3 } }, { a: { x: 4 }, empty: {} }];
    expect(await csvOf(documents)).toEqual([
      ['_id', 'a', 'b.c.d', 'b.e', 'a.x', 'empty'],
      [ID, '1', '', '', '', ''],
      ['', '', '2', '3', '', ''],
      ['', '', '', '', '4', '{}'],
    ]);
  });

  it.each([true, false])('are the same for raw BSON and for its parsed fields, with flatten %s', flatten => {
    const oid = new ObjectId();
    const documents = [
      { _id, 'ä.b': { ß: 1, '': { empty: {} } }, list: [{ a: 1 }], reference: new DBRef('books', oid), nothing: null },
      { reference: { $ref: 5, deep: { deeper: 1 } }, list: { now: 'an object' }, pattern: /x/i, at: new Date(0) },
      { min: new MinKey(), code: new Code('1', { scope: 1 }), time: new Timestamp({ t: 1, i: 2 }), _id: { a: 1 } },
      JSON.parse('{"__proto__":{"constructor":1},"length":{"0":[]}}'),
    ].map(document => serialize(document));
    const [ofBson, ofFields] = [new ColumnSet(flatten, null), new ColumnSet(flatten, null)];
    for (const document of documents) {
      ofBson.scan(document);
      ofFields.scan(fieldsOf(document));
    }
    expect(ofBson.columns).toEqual(ofFields.columns);
    expect(ofBson.columns.length).toBeGreaterThan(10);
  });

  it('are the top-level fields without flatten, and objects become JSON', async () => {
    expect(await csvOf([{ a: { b: [1, { c: 2 }] } }], { flatten: false })).toEqual([['a'], ['{"b":[1,{"c":2}]}']]);
  });

  it('can be chosen, also for fields inside objects and lists', async () => {
    const documents = [{ b: 1, a: { x: 2, y: { z: 3 } }, items: [{ name: 'n', tags: ['t'] }, { name: 'm' }, 5] }];
    expect(await csvOf(documents, { fields: ['missing', 'a.y', 'a.x', 'items.name', 'items.tags'] })).toEqual([
      ['missing', 'a.y', 'a.x', 'items.name', 'items.tags'],
      ['', '{"z":3}', '2', '["n","m"]', '["t"]'],
    ]);
  });

  it('keep a field whose name has a dot apart from a nested field', async () => {
    expect(await csvOf([{ 'a.b': 1, a: { b: 2 } }])).toEqual([
      ['a.b', 'a.b (2)'],
      ['1', '2'],
    ]);
  });

  it('can number 5,000, but not more than a sheet can have', async () => {
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`c${n}`, n]));
    expect((await csvOf([wide]))[1]).toHaveLength(5_000);
    const wider = Object.fromEntries(Array.from({ length: MAX_COLUMNS + 1 }, (_, n) => [`c${n}`, n]));
    await expect(csvOf([wider])).rejects.toMatchObject({ code: 'payload_too_large' });
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`c${n}`, n]));
    await expect(csvOf([{ ['x'.repeat(10_000)]: fields }])).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('that first appear while the rows are written make the export fail', async () => {
    let reads = 0;
    const read = () => batched(++reads === 1 ? [{ a: 1 }] : [{ a: 1, b: 2 }]);
    const pieces = await writeExport(read, defaults);
    await expect(
      (async () => {
        for await (const _ of pieces);
      })(),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('may have names such as __proto__', () => {
    const columns = new ColumnSet(true, null);
    const document = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}');
    columns.scanTypes(document);
    expect(columns.columns.map(({ name }) => name)).toEqual(['__proto__.polluted', 'constructor']);
    expect(columns.row(document)).toEqual([1, 2]);
  });
});

describe('a CSV export', () => {
  it('keeps quotes, separators, line breaks and NUL characters', async () => {
    const texts = ['say "hi"', 'a,b', 'two\r\nlines', 'one\rcr', 'NUL\0here', '\ufeffBOM', ' spaces '];
    expect(await csvOf(texts.map(text => ({ text })))).toEqual([['text'], ...texts.map(text => [text])]);
  });

  it('writes dates as ISO 8601, ids and large numbers as text, and null as an empty cell', async () => {
    const row = {
      early: new Date(Date.UTC(1815, 11, 10)),
      broken: new Date(Number.NaN),
      long: Long.fromString('9007199254740993'),
      decimal: Decimal128.fromString('-0.10'),
      nan: Number.NaN,
      infinite: Number.NEGATIVE_INFINITY,
      yes: true,
      nothing: null,
      list: [1, 'a', null],
    };
    const cells = ['1815-12-10T00:00:00.000Z', '', '9007199254740993', '-0.10', 'NaN', '-Infinity', 'true', ''];
    expect((await csvOf([row]))[1]).toEqual([...cells, '[1,"a",null]']);
    expect((await csvOf([row], { joinsLists: true }))[1]).toEqual([...cells, '1, a, ']);
  });

  it('puts an apostrophe before formulas, also in column names, unless `keepsFormulas` is set', async () => {
    const documents = [{ '=cmd()': '@SUM(1)', n: -5, t: '\tx', join: ['=1'] }];
    expect(await csvOf(documents, { joinsLists: true })).toEqual([
      ["'=cmd()", 'n', 't', 'join'],
      ["'@SUM(1)", '-5', "'\tx", "'=1"],
    ]);
    expect(await csvOf(documents, { keepsFormulas: true })).toEqual([
      ['=cmd()', 'n', 't', 'join'],
      ['@SUM(1)', '-5', '\tx', '["=1"]'],
    ]);
  });

  it('without documents is empty, or only a header if the fields were chosen', async () => {
    expect((await fileOf([], { bom: true })).length).toBe(0);
    expect((await fileOf([], { fields: ['a', 'b'] })).toString()).toBe('a,b\n');
  });

  it('begins with a byte order mark only if that is requested', async () => {
    expect((await fileOf([{ a: 1 }], { bom: true })).toString()).toBe('\ufeffa\n1\n');
    expect((await fileOf([{ a: 1 }], {})).toString()).toBe('a\n1\n');
  });
});

it('JSON and NDJSON exports keep nesting and order, and are valid without documents', async () => {
  const documents = [{ _id, a: { b: [1] } }, { n: Number.NaN, m: [-Infinity], at: new Date(0) }, { text: '\u2028 "' }];
  const plain = [
    { _id: ID, a: { b: [1] } },
    { n: 'NaN', m: ['-Infinity'], at: '1970-01-01T00:00:00.000Z' },
    { text: '\u2028 "' },
  ];
  expect(JSON.parse((await fileOf(documents, { format: 'json' })).toString())).toEqual(plain);
  const lines = (await fileOf(documents, { format: 'ndjson' })).toString().split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.map(line => JSON.parse(line))).toEqual(plain);
  expect(JSON.parse((await fileOf([], { format: 'json' })).toString())).toEqual([]);
  expect((await fileOf([], { format: 'ndjson' })).toString()).toBe('');
});

describe('jsonb values of PostgreSQL in an export', () => {
  const rows = (...texts: string[]) => texts.map(text => ({ doc: new JsonText(text) }));
  const LONG =
    '{"n": 12345678901234567890, "d": [1.10, 0.1234567890123456789], "_bsontype": "x", "__proto__": {"z": 1.0}}';

  it.each(['json', 'ndjson'] as const)('are copied into %s with every digit, but without line breaks', async format => {
    const file = (await fileOf(rows(LONG, '"a\\nb"', '{\r\n"a":1e400}', 'null'), { format })).toString();
    const lines = file.split('\n').filter(line => line.startsWith('{'));
    expect(lines.map(line => line.replace(/,$/, ''))).toEqual([
      `{"doc":${LONG}}`,
      '{"doc":"a\\nb"}',
      '{"doc":{ "a":1e400}}',
      '{"doc":null}',
    ]);
  });

  it('become text in NDJSON if they are not valid JSON', async () => {
    const file = await fileOf(rows('"a\ufffd\\"', '"a\ufffd"'), { format: 'ndjson' });
    expect(file.toString()).toBe('{"doc":"\\"a\ufffd\\\\\\""}\n{"doc":"a\ufffd"}\n');
  });

  it('become typed numbers with every digit in Extended JSON, or text if MongoDB has no such number', async () => {
    const text =
      '{"a": [5, 5000000000, 9007199254740993, 1.5, 1.10, 12345678901234567890], "_bsontype": "x", "$d": "t"}';
    const [first, long] = (await fileOf(rows(text, `1${'0'.repeat(34)}`), { format: 'extjson' }))
      .toString()
      .split('\n');
    const types = [
      '{"$numberInt":"5"}',
      '{"$numberLong":"5000000000"}',
      '{"$numberLong":"9007199254740993"}',
      '{"$numberDouble":"1.5"}',
      '{"$numberDecimal":"1.10"}',
      '{"$numberDecimal":"12345678901234567890"}',
    ];
    expect(first).toBe(`{"doc":{"a":[${types.join()}],"_bsontype":"x","$d":"t"}}`);
    expect(long).toBe(`{"doc":"1${'0'.repeat(34)}"}`);
  });

  const CELLS = [LONG, '"q"', '""', '"123"', 'null', '1.10', '-5', 'true', '[1.10]', '{}'];

  it('are one cell with their text in CSV, XLSX and Parquet without flatten', async () => {
    const options = { flatten: false };
    expect(await csvOf(rows(...CELLS), options)).toEqual([['doc'], ...CELLS.map(text => [text])]);
    const sheet = await rowsOf(await fileOf(rows(...CELLS), { ...options, format: 'xlsx' }));
    expect(sheet).toEqual([['doc'], ...CELLS.map(text => [text])]);
    const file = await fileOf(rows(...CELLS), { ...options, format: 'parquet' });
    const found = await parquetReadObjects({ file: new Uint8Array(file).buffer });
    expect(found).toEqual(CELLS.map(doc => ({ doc })));
  });

  it('get columns for the fields of objects, and exact text for lists', async () => {
    const [names, ...found] = await csvOf(rows(LONG, '"q"', 'null', '[1.10, 2]', '{}', '12345678901234567890'));
    expect(names).toEqual(['doc.n', 'doc.d', 'doc._bsontype', 'doc.__proto__.z', 'doc']);
    expect(found[0]).toEqual(['12345678901234567890', '[1.10,0.1234567890123456789]', 'x', '1', '']);
    expect(found.slice(1).map(row => row[4])).toEqual(['q', '', '[1.10, 2]', '{}', '12345678901234567890']);
  });

  it('can be joined if they are lists, and fields inside lists can be columns', async () => {
    const texts = rows('{"a": [1.10, "x", null], "items": [{"n": 1.10}, {"n": 12345678901234567890}]}');
    const fields = ['doc.a', 'doc.items.n', 'doc.items'];
    const items = '[{"n":1.10},{"n":12345678901234567890}]';
    for (const flatten of [true, false]) {
      expect((await csvOf(texts, { fields: fields.slice(0, 2), flatten, joinsLists: true }))[1]).toEqual([
        '1.10, x, ',
        '1.10, 12345678901234567890',
      ]);
      expect((await csvOf(texts, { fields: ['doc.items'], flatten }))[1]).toEqual([items]);
    }
    expect((await csvOf(rows('[1.10, "x"]'), { flatten: false, joinsLists: true }))[1]).toEqual(['1.10, x']);
  });
});

it('XLSX and CSV exports keep the sign of a negative zero', async () => {
  const [, row] = await rowsOf(await fileOf([{ n: -0 }], { format: 'xlsx' }));
  expect(row).toEqual([-0]);
  expect((await fileOf([{ n: -0 }], { format: 'csv' })).toString()).toBe('n\n-0\n');
});

it('documents without any field count as rows in every format', async () => {
  const documents = [{}, {}, {}];
  for (const format of ['csv', 'ndjson', 'xlsx', 'parquet'] as const) {
    const counts: number[] = [];
    const pieces = await writeExport(
      () => batched(documents),
      { ...defaults, format },
      rows => counts.push(rows),
    );
    for await (const _ of pieces);
    expect([format, counts.at(-1)]).toEqual([format, 3]);
  }
});

describe('an XLSX export', () => {
  it('has numbers, booleans and times as such, and everything else as text', async () => {
    const file = await fileOf(
      [
        { n: 1.5, yes: true, text: '<a> & "b"', at: new Date(0), formula: '=1+1', gap: null, last: Number.NaN },
        { n: -2, text: 'NUL\0 _x0041_ \ud800\r\n.', last: 'x' },
      ],
      { format: 'xlsx' },
    );
    expect(await rowsOf(file)).toEqual([
      ['n', 'yes', 'text', 'at', 'formula', 'gap', 'last'],
      [1.5, true, '<a> & "b"', new Date(0), '=1+1', null, 'NaN'],
      [-2, null, 'NUL\0 _x0041_ \ud800\r\n.', null, null, null, 'x'],
    ]);
  });

  it('shortens a text that is too long for a cell, and ends it with a note', async () => {
    const [, row] = await rowsOf(await fileOf([{ text: 'x'.repeat(40_000) }], { format: 'xlsx' }));
    expect(String(row?.[0])).toHaveLength(32_767);
    expect(String(row?.[0])).toMatch(/x… \(cut; the whole text has 40000 characters\)$/);
  });

  it('starts another sheet when one is full', async () => {
    const documents = Array.from({ length: 5 }, (_, n) => ({ n }));
    const columns = new ColumnSet(true, null);
    for (const document of documents) columns.scanTypes(document);
    const pieces: Uint8Array[] = [];
    for await (const piece of writeXlsx(batched(documents), columns, {}, new Map(), 3)) pieces.push(piece);
    const sheets = await readXlsx(Buffer.concat(pieces));
    expect(sheets.map(({ data }) => data)).toEqual([
      [['n'], [0], [1]],
      [['n'], [2], [3]],
      [['n'], [4]],
    ]);
  });

  it('fails instead of hanging if the documents cannot be read', async () => {
    const columns = new ColumnSet(true, ['a']);
    async function* failing(): AsyncGenerator<Fields[]> {
      yield [{ a: 1 }];
      throw new Error('lost');
    }
    await expect(
      (async () => {
        for await (const _ of writeXlsx(failing(), columns, {}, new Map()));
      })(),
    ).rejects.toThrow('lost');
  });
});

async function rowsOf(file: Buffer): Promise<unknown[][]> {
  const [sheet] = await readXlsx(file);
  return sheet?.data ?? [];
}

describe('a Parquet export', () => {
  const rowsOfParquet = async (documents: Fields[], options: Partial<WriteOptions> = {}) => {
    const file = await fileOf(documents, { ...options, format: 'parquet' });
    return parquetReadObjects({ file: new Uint8Array(file).buffer });
  };

  it('keeps types, and writes a column of mixed types as text', async () => {
    const at = new Date('1815-12-10T00:00:00.123Z');
    const documents = [
      { i: 1, l: 2, d: 1, b: true, at, t: 'x', mixed: 1, list: [1], none: null },
      { i: -7, l: Long.fromString('9007199254740993'), d: Number.NaN, b: false, t: '', mixed: 'y', none: null },
    ];
    expect(await rowsOfParquet(documents)).toEqual([
      { i: 1n, l: 2n, d: 1, b: true, at, t: 'x', mixed: '1', list: '[1]', none: null },
      { i: -7n, l: 9007199254740993n, d: Number.NaN, b: false, at: null, t: '', mixed: 'y', list: null, none: null },
    ]);
  });

  it('can have only the chosen fields, and can have no rows', async () => {
    expect(await rowsOfParquet([{ a: { b: 1 }, c: 2 }], { fields: ['a.b'] })).toEqual([{ 'a.b': 1n }]);
    expect(await rowsOfParquet([], { fields: ['a'] })).toEqual([]);
  });

  const groupsOf = async (documents: StoredDocument[]) => {
    const file = new Uint8Array(await fileOf(documents, { format: 'parquet' })).buffer;
    const { row_groups } = parquetMetadata(file);
    return { file, groups: row_groups.map(({ num_rows }) => Number(num_rows)) };
  };

  it('has 50,000 rows in a row group, even with many columns', async () => {
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field${n}`, n]));
    const { file, groups } = await groupsOf(new Array(50_001).fill(fields));
    expect(groups).toEqual([50_000, 1]);
    const [row] = await parquetReadObjects({ file, rowStart: 50_000 });
    expect(row).toEqual(Object.fromEntries(Object.entries(fields).map(([name, n]) => [name, BigInt(n)])));
  });

  it('ends a row group earlier if its values are large', async () => {
    const documents = Array.from({ length: 3_000 }, (_, n) => ({ n, text: `${n}`.repeat(2_000) }));
    const { file, groups } = await groupsOf(documents);
    expect(groups).toHaveLength(2);
    const rows = await parquetReadObjects({ file });
    expect(rows).toEqual(documents.map(({ n, text }) => ({ n: BigInt(n), text })));
  });
});

test.each(['instant', 'local', 'date'] as const)('a %s too late for a JavaScript Date has no typed form', type => {
  const value = type === 'date' ? '294276-12-31' : '294276-12-31 23:59:59.999999';
  expect(convertDeclared(value, { type })).toBeUndefined();
  expect(millisecondsOf(value, { type })).toBeUndefined();
});
