import { gzipSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import type { Encoding } from '../parsing/encodings.js';
import { type Format, inspect, type Reading } from './rows.js';

const inspected = (file: Buffer, name: string, wished: Partial<Reading> = {}, encoding: Encoding = 'windows-1252') =>
  inspect(
    {
      open: async function* () {
        yield file;
      },
      size: async () => file.length,
      slice: async (start, end) => file.subarray(start, end),
    },
    { name, encoding },
    wished,
  );

/** An OLE container with the directory in its second sector. */
function ole(...names: string[]): Buffer {
  const file = Buffer.alloc(8_192);
  file.write('d0cf11e0a1b11ae1', 'hex');
  file.writeUInt32LE(1, 48);
  for (const [at, name] of names.entries()) file.write(`${name}\0`, 1_024 + at * 128, 'utf16le');
  return file;
}

async function zipOf(...paths: string[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const path of paths) zip.addBuffer(Buffer.from('<x/>'), path);
  return joined(zip);
}

async function joined(zip: ZipFile): Promise<Buffer> {
  zip.end();
  const parts: Buffer[] = [];
  for await (const part of zip.outputStream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** The bytes of a picture or an archive after its first ones. */
const BYTES = Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 37) % 256));
const after = (magic: string) => Buffer.concat([Buffer.from(magic, 'latin1'), BYTES]);

const SAVE = /Save it as \.xlsx or CSV/;
const kinds: [string, Buffer, RegExp, RegExp][] = [
  ['an old workbook', ole('Root Entry', 'Workbook'), /old Excel workbook \(\.xls\)/, SAVE],
  ['an old document', ole('Root Entry', 'WordDocument'), /old Word document \(\.doc\)/, /Copy its table into a spread/],
  [
    'old slides',
    ole('Root Entry', 'PowerPoint Document'),
    /old presentation \(\.ppt\)/,
    /Copy its table into a spread/,
  ],
  ['another old file', ole('Root Entry', 'VisioDocument'), /old Office file/, SAVE],
  ['a workbook with a password', ole('Root Entry', 'EncryptedPackage'), /workbook with a password/, /without the pass/],
  ['a PDF document', Buffer.from('%PDF-1.4\n1 0 obj\n'), /PDF document/, SAVE],
  ['a picture', after('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), /image\/png/, SAVE],
  ['a database', after('SQLite format 3\0'), /SQLite database/, /Export its table as CSV/],
  ['another archive', after("7z\xbc\xaf'\x1c"), /7-Zip archive/, /Unpack it/],
  ['a document compressed with gzip', gzipSync('%PDF-1.4\n'), /PDF document/, SAVE],
  ['bytes of no known kind', BYTES, /no text: \d+ of its first/, /save it as \.xlsx or CSV/],
];

test.each(kinds)('an upload of %s is refused, with what it is and what to do', async (_, file, what, advice) => {
  for (const format of [undefined, 'csv', 'ndjson', 'json', 'extjson'] as (Format | undefined)[]) {
    const reading = inspected(file, 'rows.csv', format && { format });
    await expect(reading).rejects.toThrow(what);
    await expect(reading).rejects.toThrow(advice);
  }
});

test.each(kinds.slice(0, 6))('an upload of %s with the format xlsx is refused', (_, file, what) =>
  expect(inspected(file, 'rows.xlsx', { format: 'xlsx' })).rejects.toThrow(what),
);

const zippedCsv = zipOf('rows.csv');
test.each<[string, Format, () => Promise<Buffer>, RegExp]>([
  ['text', 'xlsx', async () => Buffer.from('a,b\n1,2\n'), /is text, not an XLSX workbook\. Choose the format/],
  ['text', 'parquet', async () => Buffer.from('{"a":1}\n'), /is text, not a Parquet file\. Choose the format/],
  ['bytes', 'xlsx', async () => BYTES, /not an XLSX workbook\. Save it as/],
  ['bytes', 'parquet', async () => BYTES, /not a Parquet file\. Save it as/],
  ['gzip', 'xlsx', async () => gzipSync('a,b\n1,2\n'), /compressed with gzip, not an XLSX workbook\. Unpack it/],
  ['gzip', 'parquet', async () => gzipSync('a,b\n1,2\n'), /compressed with gzip, not a Parquet file\. Unpack it/],
  ['a packed archive', 'xlsx', async () => gzipSync(await zippedCsv), /compressed with gzip\. Unpack it/],
  ['a packed archive', 'csv', async () => gzipSync(await zippedCsv), /compressed with gzip\. Unpack it/],
  ['an archive', 'csv', () => zippedCsv, /is a ZIP archive or workbook\. Choose the format xlsx/],
  ['an archive', 'parquet', () => zippedCsv, /is a ZIP archive or workbook\. Choose the format xlsx/],
  ['an empty archive', 'xlsx', () => zipOf(), /is a ZIP archive, not an XLSX workbook\. Unpack it/],
  ['half an archive', 'xlsx', async () => (await zippedCsv).subarray(0, 40), /cut off: its end is missing\. Upload/],
])('an upload of %s as %s is refused, with what it is and what to do', async (_, format, file, message) => {
  await expect(inspected(await file(), 'rows', { format })).rejects.toThrow(message);
});

test('an upload of gzip that is cut off is refused, with what to do', async () => {
  const file = gzipSync('a,b\n1,2\n').subarray(0, 20);
  await expect(inspected(file, 'rows.csv.gz')).rejects.toThrow(/damaged or cut off.*Compress the original file again/);
});

test.each([
  ['a workbook', ['xl/workbook.xml', '[Content_Types].xml'], /a workbook; unpack|XLSX workbook/],
  ['an archive', ['rows.csv'], /ZIP archive/],
])('an upload of %s with the format csv is refused', async (_, paths, what) => {
  await expect(inspected(await zipOf(...paths), 'rows.csv', { format: 'csv' })).rejects.toThrow(what);
});

test.each([
  ['rows.csv', /ZIP archive, not an XLSX workbook\. Unpack it/],
  ['content.xml', /OpenDocument.*Save it as/],
  ['xl/workbook.bin', /\.xlsb.*Save it as/],
  ['word/document.xml', /Word document.*Copy its table into a spreadsheet, save that/],
])('an archive with %s is refused as a workbook, with what it is and what to do', async (path, what) => {
  await expect(inspected(await zipOf(path), 'rows.xlsx')).rejects.toThrow(what);
});

test.each([
  ['<!DOCTYPE html>\n<html><table>', /web page \(HTML\)/],
  ['\n <html xmlns:x="urn:schemas-microsoft-com:office:excel">', /web page/],
  ['<table border="1"><tr><td>a</td></tr></table>', /web page/],
  ['<!-- saved --><TABLE>', /web page/],
  ['<?xml version="1.0"?><Workbook/>', /XML/],
  ['BEGIN:VCARD\nVERSION:3.0\n', /contacts/],
])('a file with %s is read only if the user chooses the format csv', async (text, what) => {
  const file = Buffer.from(`${text}\n1\n`);
  for (const name of ['rows.csv', 'rows.xls', 'x']) await expect(inspected(file, name)).rejects.toThrow(what);
  for (const format of ['ndjson', 'json', 'extjson', 'xlsx', 'parquet'] as const)
    await expect(inspected(file, 'rows.csv', { format })).rejects.toThrow(what);
  expect((await inspected(file, 'rows.csv', { format: 'csv' })).reading.format).toBe('csv');
});

test.each([
  ['the first letters of a picture', Buffer.from('BMI,name\n21,x\n'), 'utf-8'],
  ['the first letters of a program', Buffer.from('MZ,name\n21,x\n'), 'utf-8'],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${'name,b\n1,2\n'.repeat(50)}`, 'utf16le'), 'utf-16le'],
  ['UTF-16 without', Buffer.from('name,b\n1,2\n'.repeat(50), 'utf16le'), 'utf-16le'],
  ['a few control characters', Buffer.from('name,b\n\0,\x01\n'), 'utf-8'],
  ['ISO-2022-JP', Buffer.from('a,b\n\x1b$B$"$$\x1b(B,1\n'.repeat(9), 'latin1'), 'iso-2022-jp'],
  ['bytes like a sound', Buffer.from([0xff, 0xe3, 0x2c, 0x61, 0x0a, 0xe9, 0x2c, 0x62, 0x0a]), 'windows-1252'],
] as const)('a text file with %s is read', async (_, file, encoding) => {
  expect((await inspected(file, 'rows.csv', {}, encoding)).columns).toHaveLength(2);
});

test('the encoding of a workbook is UTF-8, whatever its bytes look like', async () => {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('<workbook><sheets><sheet id="r"/></sheets></workbook>'), 'xl/workbook.xml');
  zip.addBuffer(Buffer.from('<x><x Id="r" Target="s.xml"/></x>'), 'xl/_rels/workbook.xml.rels');
  zip.addBuffer(Buffer.from('<sheetData><row><c><v>1</v></c></row></sheetData>'), 'xl/s.xml');
  expect((await inspected(await joined(zip), 'rows.xlsx')).reading.encoding).toBe('utf-8');
});
