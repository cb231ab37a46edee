import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Binary, Code, Decimal128, Double, EJSON, Int32, Long, ObjectId, serialize } from 'bson';
import type { mongo } from 'mongoose';
import { ZipFile } from 'yazl';
import { appForFile } from '../../../test/test-app.js';
import { databaseForFile } from '../../../test/test-mongo.js';
import { until } from '../../../test/until.js';

const { app } = appForFile();
const database = databaseForFile(app);

type Body = Record<string, any>;

const isbn = '9781314196702';

async function uploaded(file: Buffer, name: string): Promise<string> {
  const type = { 'content-type': 'application/octet-stream' };
  return (await database.api('POST', `/joint-api/imports/upload?file_name=${name}`, file, type)).body.id;
}

/** Uploads a file, and returns its preview and what the import has stored. */
async function imported(
  file: Buffer,
  name: string,
  settings: object = {},
): Promise<{ preview: Body; item: Body; documents: mongo.Document[] }> {
  const id = await uploaded(file, name);
  const preview = (await database.api('GET', `/joint-api/imports/${id}/preview`)).body;
  const fresh = database.fresh();
  const body = { db_id: database.id, collection: fresh.name, ...settings };
  expect((await database.api('POST', `/joint-api/imports/${id}/start`, body)).status).toBe(202);
  const item = await until(
    async () => (await database.api('GET', `/joint-api/imports/${id}`)).body,
    ({ state }) => !['queued', 'running'].includes(state),
  );
  const documents = await fresh.collection.find({}, { sort: { _id: 1 }, promoteValues: false }).toArray();
  return { preview, item, documents };
}

/** Documents in canonical Extended JSON, as the preview shows them but for the `_id` that Trawl makes. */
const shown = (documents: object[]) =>
  documents.map(document => {
    const { _id, ...fields } = EJSON.serialize(document, { relaxed: true });
    return fields;
  });

const workbook = (rows: Body[]) => workbookOf({ Sheet1: rows });

/** Makes a workbook of sheets with the names of the first row as their header. */
async function workbookOf(sheets: Record<string, Body[]>): Promise<Buffer> {
  const cell = (value: unknown) =>
    typeof value === 'string'
      ? `<c t="inlineStr"><is><t>${value}</t></is></c>`
      : `<c t="${typeof value === 'boolean' ? 'b' : 'n'}"><v>${Number(value)}</v></c>`;
  const cellsOf = (rows: Body[]) =>
    [Object.keys(rows[0] ?? {}), ...rows.map(row => Object.values(row))]
      .map(row => `<row>${row.map(cell).join('')}</row>`)
      .join('');
  const zip = new ZipFile();
  const names = Object.keys(sheets);
  const listed = names.map((name, at) => `<sheet name="${name}" id="r${at}"/>`).join('');
  zip.addBuffer(Buffer.from(`<workbook><sheets>${listed}</sheets></workbook>`), 'xl/workbook.xml');
  const relations = names.map((_, at) => `<Relationship Id="r${at}" Target="sheet${at}.xml"/>`).join('');
  zip.addBuffer(Buffer.from(`<Relationships>${relations}</Relationships>`), 'xl/_rels/workbook.xml.rels');
  for (const [at, rows] of Object.values(sheets).entries()) {
    const sheet = `<worksheet><sheetData>${cellsOf(rows)}</sheetData></worksheet>`;
    zip.addBuffer(Buffer.from(sheet), `xl/sheet${at}.xml`);
  }
  zip.end();
  return buffer(zip.outputStream as Readable);
}

describe('a late cell that does not clearly fit the guessed column type', () => {
  const late = ['01234', '+385', '123456789012345'];
  const csv = Buffer.from(`zip,b\n${'10000,x\n'.repeat(1_100)}${late.map(zip => `${zip},y\n`).join('')}`);
  const sheet = workbook([...Array.from({ length: 1_100 }, () => ({ zip: 10_000 })), ...late.map(zip => ({ zip }))]);

  test.each([
    ['CSV', 'zip.csv', () => csv],
    ['XLSX', 'zip.xlsx', () => sheet],
  ])(
    'fails the import of %s or counts as a bad row, and is converted only if the user chose the type',
    async (_, name, of) => {
      const file = await of();
      const failed = await imported(file, name);
      expect(failed.preview.columns[0]).toMatchObject({ type: 'number' });
      expect(failed.item).toMatchObject({ state: 'failed', bad_rows: 3 });
      expect(failed.item.error_message).toContain('Row 1101: zip: "01234" does not say clearly');
      expect(failed.item.error_message).toContain('Choose the type text for this column.');
      const skipped = await imported(file, name, { skip_bad_rows: true, columns: [{ index: 0, field: 'zip' }] });
      expect(skipped.item).toMatchObject({ state: 'done', inserted: 1_100, bad_rows: 3 });
      const texts = await imported(file, name, { columns: [{ index: 0, field: 'zip', type: 'text' }] });
      expect(texts.documents.slice(1_100).map(({ zip }) => zip)).toEqual(late);
      const numbers = await imported(file, name, { columns: [{ index: 0, field: 'zip', type: 'number' }] });
      expect(numbers.documents.slice(1_100).map(({ zip }) => Number(zip))).toEqual([1_234, 385, 123_456_789_012_345]);
    },
  );
});

test.each(['new', 'existing'])('an import of Extended JSON into a collection (%s) keeps the BSON bytes', async kind => {
  const documents = [new ObjectId('0123456789abcdef01234567'), 'own', new Int32(7)].map(_id => ({
    _id,
    at: new Date('1815-12-10T09:30:00.123Z'),
    isbn,
    whole: new Double(1),
    minus: new Double(-0),
    nan: new Double(Number.NaN),
    long: Long.fromString('9007199254740993'),
    small: Long.fromNumber(1),
    decimal: Decimal128.fromString('-0.10'),
    bytes: new Binary(Buffer.from([0, 255])),
    uuid: new Binary(Buffer.alloc(16, 7), Binary.SUBTYPE_UUID),
    code: new Code('return 1', { n: new Int32(1) }),
    list: [new Int32(1), null, 'x', [], {}],
    nested: { 'deep.er': { $price: new Int32(1), '': 'empty name' } },
    'dotted.key': 'NUL \0 in it',
  }));
  const lines = documents.map(document => EJSON.stringify(document, { relaxed: false }));
  const fresh = database.fresh();
  if (kind === 'existing') await fresh.collection.insertOne({ _id: 'before' });
  const file = Buffer.from(`${lines.join('\n')}\n`);
  const { preview, item } = await imported(file, 'books.ndjson', { collection: fresh.name });
  expect([preview.format, item.state, item.inserted, item.error_message]).toEqual(['extjson', 'done', 3, null]);
  const stored = await fresh.collection.find({ _id: { $ne: 'before' } }, { raw: true }).toArray();
  const bytes = (all: Uint8Array[]) => all.map(one => Buffer.from(one).toString('hex')).sort();
  expect(bytes(stored as unknown as Uint8Array[])).toEqual(bytes(documents.map(document => serialize(document))));
});

test('an import of CSV stores what its preview shows: an ISBN as text, and Croatian letters', async () => {
  const head = Buffer.from('sep=;\r\nime;isbn;cijena\r\n');
  const file = Buffer.concat([head, Buffer.from([0xc8, 0x61, 0x9a, 0x61]), Buffer.from(`;${isbn};7\r\n`)]);
  const { preview, documents } = await imported(file, 'caše.csv');
  expect(preview).toMatchObject({ encoding: 'windows-1250', delimiter: 'semicolon', skip_lines: 1 });
  expect(preview.columns.map(({ type }: Body) => type)).toEqual(['text', 'text', 'number']);
  expect(shown(documents)).toEqual([{ ime: 'Čaša', isbn, cijena: 7 }]);
  expect(shown(documents)).toEqual(preview.documents);
});

test('an import of a workbook keeps texts, numbers and booleans, and reports bad rows', async () => {
  const rows = [
    { title: 'Žižek', isbn, price: 1.5, new: true },
    { title: '007', isbn: '0415', price: 2_147_483_648, new: false },
  ];
  const { preview, item, documents } = await imported(await workbook(rows), 'books.xlsx');
  expect([preview.format, item.state]).toEqual(['xlsx', 'done']);
  expect(preview.columns.map(({ type }: Body) => type)).toEqual(['text', 'text', 'number', 'boolean']);
  expect(shown(documents)).toEqual(rows);
  const columns = [{ index: 0, field: 'n', type: 'number' }];
  const failed = await imported(await workbook(rows), 'x.xlsx', { columns });
  expect(failed.item).toMatchObject({ state: 'failed', bad_rows: 1 });
  expect(failed.item.error_message).toContain('Row 1: n: "Žižek" is not a number');
});

describe('an import of a workbook with several sheets', () => {
  const sheets = workbookOf({ Notes: [], Orders: [{ n: 1 }], Customers: [{ name: 'Ana' }, { name: 'Iva' }] });

  test('reads the first sheet with rows, or the one that the user names', async () => {
    const first = await imported(await sheets, 'x.xlsx');
    expect(first.preview).toMatchObject({ sheets: ['Notes', 'Orders', 'Customers'], sheet: 'Orders' });
    expect(shown(first.documents)).toEqual([{ n: 1 }]);
    const named = await imported(await sheets, 'x.xlsx', { sheet: 'Customers' });
    expect(shown(named.documents)).toEqual([{ name: 'Ana' }, { name: 'Iva' }]);
  });

  test.each([
    [
      'Persons',
      /^sheet: must be a sheet of the workbook, which has "Notes", "Orders", "Customers"; you sent "Persons"/,
    ],
    ['Notes', /^The sheet "Notes" has no rows\. The workbook has "Notes", "Orders"/],
  ])('is refused for the sheet %s, and the error lists the sheets', async (sheet, message) => {
    const id = await uploaded(await sheets, 'x.xlsx');
    const target = { db_id: database.id, collection: 'x', sheet };
    for (const { status, body } of [
      await database.api('GET', `/joint-api/imports/${id}/preview?sheet=${sheet}`),
      await database.api('POST', `/joint-api/imports/${id}/start`, target),
    ]) {
      expect([status, body.error_code]).toEqual([400, 'validation_failed']);
      expect(body.error_message).toMatch(message);
    }
  });

  test('may name a sheet, which an import of CSV may not', async () => {
    const id = await uploaded(Buffer.from('n\n1\n'), 'x.csv');
    const { status, body } = await database.api('GET', `/joint-api/imports/${id}/preview?sheet=Orders`);
    expect([status, body.error_message]).toEqual([400, 'sheet: is only for XLSX.']);
  });
});

test('a collection that is exported as Parquet and imported again keeps its types', async () => {
  const documents = [1, 2].map(n => ({
    _id: `own-${n}`,
    int: new Int32(n),
    long: Long.fromString('9007199254740993'),
    double: new Double(n + 0.5),
    yes: n === 1,
    date: new Date('1815-12-10T09:30:00.123Z'),
    bytes: new Binary(Buffer.from([0, 255])),
    isbn,
    nested: { city: 'Žižek', n: new Int32(n) },
  }));
  const from = database.fresh();
  await from.collection.insertMany(documents);
  const headers = { authorization: `Bearer ${await app.token('developer')}` };
  const path = `/joint-api/mongo/${database.id}/${encodeURIComponent(from.name)}/export?format=parquet`;
  const file = Buffer.from(await (await fetch(`${app.url}${path}`, { headers })).arrayBuffer());
  const again = await imported(file, 'books.parquet');
  expect([again.preview.format, again.item.state, again.item.error_message]).toEqual(['parquet', 'done', null]);
  const canonical = (all: object[]) => all.map(one => EJSON.stringify(one, { relaxed: false }));
  expect(canonical(again.documents)).toEqual(canonical(documents));
  expect(again.preview.columns.map(({ type }: Body) => type).join(' ')).toBe(
    'text number number number boolean date binary text text number',
  );
});

test('an import shows an encoding for text, also compressed text, but none for a workbook', async () => {
  const latin = Buffer.from(`name,n\nM\xfcller,1\n`, 'latin1');
  const files: [string, Buffer, string | null, string | undefined][] = [
    ['x.csv', latin, 'windows-1252', 'windows-1252'],
    ['x.csv.gz', gzipSync(latin), 'windows-1252', 'windows-1252'],
    ['x.xlsx', await workbook([{ name: 'Müller' }]), null, undefined],
  ];
  for (const [name, file, encoding, inPreview] of files) {
    const { preview, item } = await imported(file, name);
    expect([name, item.state, item.encoding, preview.encoding]).toEqual([name, 'done', encoding, inPreview]);
  }
});

test.each([
  ['books.csv.gz', `isbn,n\n${isbn},1\n`],
  ['books.json.gz', `[{"isbn":"${isbn}","n":1}]`],
  ['upload', `{"isbn":"${isbn}","n":1}\n`],
])('an import unpacks a file compressed with gzip: %s', async (name, text) => {
  const { item, documents } = await imported(gzipSync(text), name);
  expect(item).toMatchObject({ state: 'done', inserted: 1 });
  expect(shown(documents)).toEqual([{ isbn, n: 1 }]);
});
