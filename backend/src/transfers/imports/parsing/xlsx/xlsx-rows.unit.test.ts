import { deflateRawSync, gzipSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import { type Source, unpacked } from '../source.js';
import { UnreadableFile } from '../unreadable.js';
import { UNSAVED_FORMULA } from './unsaved-formula.js';
import { openSheets, xlsxRows } from './xlsx-rows.js';

const sourceOf = (file: Buffer): Source => ({
  open: async function* () {
    for (let at = 0; at < file.length; at += 1_000) yield file.subarray(at, at + 1_000);
  },
  size: async () => file.length,
  slice: async (start, end) => file.subarray(start, end),
});

async function joined(chunks: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk as Buffer);
  return Buffer.concat(parts);
}

const FRAME = {
  'xl/workbook.xml':
    '<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="A" r:id="rId7"/><sheet name="B" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="rId1" Target="worksheets/b.xml"/><Relationship Id="rId7" Target="/xl/worksheets/a.xml"/></Relationships>',
};

async function workbook(sheet: string, parts: Record<string, string> = {}): Promise<Source> {
  const zip = new ZipFile();
  for (const [path, text] of Object.entries({ ...FRAME, 'xl/worksheets/a.xml': sheet, ...parts })) {
    zip.addBuffer(Buffer.from(text), path);
  }
  zip.end();
  return sourceOf(await joined(zip.outputStream));
}

const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;

async function rowsOf(source: Source, sheet?: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of xlsxRows(source, sheet)) rows.push(row);
  return rows;
}

test.each([
  ['2026-02-28', new Date('2026-02-28')],
  ['2026-02-28T10:30:00', new Date('2026-02-28T10:30:00Z')],
  ['2026-02-28T10:30:00+02:00', new Date('2026-02-28T08:30:00Z')],
  ['2026-02-30', '2026-02-30'],
  ['2026-02-28T25:00:00', '2026-02-28T25:00:00'],
  ['10:30:00', '10:30:00'],
  ['PT10H', 'PT10H'],
])('a cell of a workbook with the ISO date %s is a date only if there is such a day', async (text, expected) => {
  const source = await workbook(sheetOf(`<row><c t="d"><v>${text}</v></c></row>`));
  expect(await rowsOf(source)).toEqual([[expected]]);
});

test('cells of a workbook keep their types: texts, numbers, booleans, dates and formulas', async () => {
  const source = await workbook(
    sheetOf(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
      <row r="3"><c r="A3" t="inlineStr"><is><t xml:space="preserve"> 007 </t></is></c><c r="C3"><v>1.5</v></c>
        <c r="D3" s="1"><v>46068.5</v></c><c r="E3" t="b"><v>1</v></c><c r="F3" t="str"><f>A1</f><v>x_x000D_&lt;</v></c>
        <c r="G3" s="2"><v>46068</v></c><c r="H3" s="3"><v>46068</v></c><c r="I3" t="e"><v>#N/A</v></c><c r="J3" s="1"/></row>`),
    {
      'xl/sharedStrings.xml':
        '<sst><si><t>na</t><rPh><t>hint</t></rPh></si><si><r><t>rich </t></r><r><t>text</t></r></si></sst>',
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/><numFmt numFmtId="165" formatCode="0 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    },
  );
  expect(await rowsOf(source)).toEqual([
    ['na', 'rich text'],
    [
      ' 007 ',
      undefined,
      1.5,
      new Date('2026-02-15T12:00:00Z'),
      true,
      'x\r<',
      new Date('2026-02-15T00:00:00Z'),
      46_068,
      '#N/A',
    ],
  ]);
});

test('numbers of a workbook with a duration, exponent or text format are not read as dates', async () => {
  const codes = ['[h]:mm:ss', '[mm]:ss', '[s]', '[Red]yyyy', '[$-409]d mmm'];
  const custom = codes.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`).join('');
  const styles = [46, 48, 49, 11, 200, 201, 202, 203, 204, 20, 55];
  const cells = styles.map((_, at) => `<c s="${at}"><v>46068.5</v></c>`).join('');
  const source = await workbook(sheetOf(`<row>${cells}</row>`), {
    'xl/styles.xml': `<styleSheet><numFmts>${custom}</numFmts><cellXfs>${styles.map(id => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
  });
  const date = new Date('2026-02-15T12:00:00Z');
  expect(await rowsOf(source)).toEqual([[...Array(7).fill(46_068.5), date, date, date, date]]);
});

const DATES = { 'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>' };

test.each([
  ['12345678901234567', '12345678901234567'],
  ['-9007199254740993', '-9007199254740993'],
  ['90071992547409930', '90071992547409930'],
  ['1234567890.12345678901', '1234567890.12345678901'],
  ['1.1000000000000001', 1.1],
  ['0.30000000000000004', 0.1 + 0.2],
  ['1.2345678901234568E+16', 12_345_678_901_234_568],
  ['1152921504606846976', 2 ** 60],
  ['100000000000000000000000', 1e23],
  ['0.000', 0],
])('the number %s in a workbook keeps all its digits', async (value, cell) => {
  expect(await rowsOf(await workbook(sheetOf(`<row><c><v>${value}</v></c></row>`)))).toEqual([[cell]]);
});

test.each([
  ['1', new Date('1900-01-01')],
  ['59.5', new Date('1900-02-28T12:00:00Z')],
  ['60', '1900-02-29'],
  ['61', new Date('1900-03-01')],
])('the day number %s in a workbook is the date that Excel shows', async (day, cell) => {
  expect(await rowsOf(await workbook(sheetOf(`<row><c s="1"><v>${day}</v></c></row>`), DATES))).toEqual([[cell]]);
});

test('a formula without a saved value is told apart from one whose value is an empty text', async () => {
  const source = await workbook(
    sheetOf('<row><c><f>A1</f></c><c t="str"><f>A1</f><v></v></c><c><f>1</f><v>1</v></c><c><v>2</v></c></row>'),
  );
  expect(await rowsOf(source)).toEqual([[UNSAVED_FORMULA, '', 1, 2]]);
});

test('the first sheet of a workbook that has rows is read', async () => {
  const source = await workbook(sheetOf('<row r="1"/>'), {
    'xl/worksheets/b.xml': sheetOf('<row><c><v>1</v></c></row>'),
  });
  expect(await rowsOf(source)).toEqual([[1]]);
});

test('the sheets of a workbook are listed in their order, with empty and hidden ones, and each can be read', async () => {
  const sheets = ['Orders', 'Notes', 'A & B', ''].map(
    (name, at) =>
      `<sheet name="${name.replace('&', '&amp;')}" ${at === 2 ? 'state="hidden"' : ''} r:id="rId${at === 1 ? 7 : 1}"/>`,
  );
  const source = await workbook(sheetOf('<row r="1"/>'), {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${sheets.join('')}</sheets></workbook>`,
    'xl/worksheets/b.xml': sheetOf('<row><c><v>1</v></c></row>'),
  });
  expect((await openSheets(source)).map(({ name }) => name)).toEqual(['Orders', 'Notes', 'A & B', 'Sheet4']);
  expect(await rowsOf(source, 'A & B')).toEqual([[1]]);
  expect(await rowsOf(source, 'Notes')).toEqual([]);
});

test('the sheets of a workbook can be listed even if the sheets themselves are damaged', async () => {
  const source = await workbook('<damaged', { 'xl/worksheets/b.xml': '<damaged' });
  expect((await openSheets(source)).map(({ name }) => name)).toEqual(['A', 'B']);
});

test('a workbook that counts days from 1904 is read with the right dates', async () => {
  const source = await workbook(sheetOf('<row><c s="1"><v>44606</v></c></row>'), {
    'xl/workbook.xml': FRAME['xl/workbook.xml'].replace('<workbookPr/>', '<workbookPr date1904="1"/>'),
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
  });
  expect(await rowsOf(source)).toEqual([[new Date('2026-02-15T00:00:00Z')]]);
});

describe('a hostile workbook is refused:', () => {
  const refused = async (source: Source | Promise<Source>, message: RegExp) => {
    const reading = rowsOf(await source);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(UnreadableFile);
  };

  test('a part that unpacks to far more than its size', async () => {
    await refused(workbook(sheetOf('<row/>'.repeat(20_000_000))), /200 times its size/);
  });

  test('a part that is larger than it declares', async () => {
    const source = await workbook(sheetOf('<row><c><v>1</v></c></row>'));
    const file = Buffer.from(await source.slice(0, await source.size()));
    const entry = file.indexOf('xl/worksheets/a.xml', file.indexOf('PK\x01\x02'));
    file.writeUInt32LE(5, entry - 46 + 24);
    await refused(sourceOf(file), /too many bytes|too few bytes|size/i);
  });

  test('XML entities, also of external files', async () => {
    const dtd = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>';
    await refused(workbook(dtd + sheetOf('<row><c t="str"><v>&a;</v></c></row>')), /document type/);
    await refused(workbook(sheetOf('<row><c t="str"><v>&a;</v></c></row>')), /damaged/);
  });

  test('rows with cells far to the right', async () => {
    await refused(workbook(sheetOf('<row><c r="XFD1"><v>1</v></c></row>')), /more than 10000 cells/);
    await refused(workbook(sheetOf('<row><c r="NTP1"><v>1</v></c></row>'.repeat(20_100))), /too many empty cells/);
  });

  test('a text of 17 MB in a cell or an attribute', async () => {
    await refused(workbook(sheetOf(`<row><c t="str"><v>${'x'.repeat(17_000_000)}</v></c></row>`)), /larger than/);
    await refused(workbook(sheetOf(`<row><c t="${'x'.repeat(17_000_000)}"/></row>`)), /larger than/);
  });

  test.each([
    ['no archive', Buffer.from('PK\x03\x04 and nothing else')],
    ['an empty file', Buffer.alloc(0)],
    ['a cut-off one', deflateRawSync(Buffer.alloc(1_000))],
  ])('a damaged archive: %s', async (_, file) => refused(sourceOf(file), /damaged or cut off/));

  test('a workbook without sheets', async () => {
    await refused(workbook('', { 'xl/workbook.xml': '<workbook/>' }), /no sheet/);
    await refused(workbook('', { 'xl/_rels/workbook.xml.rels': '<Relationships/>' }), /no sheet/);
  });

  test('a workbook with more than 1,000 sheets', async () => {
    const sheets = '<sheet name="A" r:id="rId7"/>'.repeat(1_001);
    await refused(
      workbook('', { 'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${sheets}</sheets></workbook>` }),
      /more than 1000 sheets/,
    );
  });

  test('(not one that merely declares a billion rows, of which it has one)', async () => {
    const sheet = `<worksheet><dimension ref="A1:XFD1000000000"/><sheetData><row r="1000000000"><c r="A1000000000"><v>1</v></c></row></sheetData></worksheet>`;
    expect(await rowsOf(await workbook(sheet))).toEqual([[1]]);
  });
});

describe('a file compressed with gzip', () => {
  test('is unpacked, also if it has several members', async () => {
    const file = Buffer.concat([gzipSync('a,b\n'), gzipSync('1,2\n')]);
    expect((await joined(unpacked(sourceOf(file)))).toString()).toBe('a,b\n1,2\n');
    expect((await joined(unpacked(sourceOf(Buffer.from('a,b\n'))))).toString()).toBe('a,b\n');
  });

  test.each([
    ['a bomb', gzipSync(Buffer.alloc(100 * 1024 * 1024)), /200 times/],
    ['a cut-off file', gzipSync('a,b\n1,2\n').subarray(0, 20), /unexpected end of file/],
    ['damaged bytes', Buffer.concat([gzipSync('a').subarray(0, 10), Buffer.alloc(50, 0xff)]), /cannot be unpacked/],
  ])('is refused: %s', async (_, file, message) => {
    await expect(joined(unpacked(sourceOf(file)))).rejects.toThrow(message);
    await expect(joined(unpacked(sourceOf(file)))).rejects.toThrow(UnreadableFile);
  });
});
