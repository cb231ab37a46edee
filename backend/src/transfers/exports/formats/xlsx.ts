import { Readable } from 'node:stream';
import { types } from 'node:util';
import { ZipFile } from 'yazl';
import { plainText } from '../../../data/storage/values/cells.js';
import { isBson } from '../../../data/storage/values/is-bson.js';
import type { ColumnSet } from './columns.js';
import { DECIMAL, type Declared, type DeclaredColumns, millisecondsOf } from './declared.js';
import type { StoredDocument } from './documents.js';
import type { ExportFormat, FormatOptions } from './format.js';
import { rowSlices } from './slices.js';

/** Limits of Excel. */
const MAX_SHEET_ROWS = 1_048_576;
const MAX_CELL_CHARS = 32_767;
const MAX_DIGITS = 15;
const DAY_MS = 86_400_000;
const DAY_0_MS = Date.UTC(1899, 11, 30);
/** Programs disagree about the first two months of 1900, because for Excel it was a leap year. */
const FIRST_MS = Date.UTC(1900, 2, 1);
const END_MS = Date.UTC(10_000, 0, 1);
/** A time of its own would make two files with the same rows different. */
const WRITTEN = new Date(2000, 0, 1);
/** Places in the list of formats in `styles.xml`. */
const DATE_STYLE = 1;
const TIME_STYLE = 2;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
/** The formats of cells: general, a date, and a time. */
const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`;
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/**
 * Writes a workbook: one sheet, and a further one each time a sheet is full. Texts are inside the cells, because the
 * usual table of shared texts would have to be kept in memory.
 * @param maxSheetRows number of rows of a sheet, with the row of names.
 */
export async function* writeXlsx(
  batches: AsyncIterable<StoredDocument[]>,
  columns: ColumnSet | null,
  options: FormatOptions,
  declared: DeclaredColumns,
  maxSheetRows = MAX_SHEET_ROWS,
): AsyncGenerator<Uint8Array> {
  if (!columns) return;
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const rows = oneByOne(rowSlices(batches, columns));
  const letters = columns.columns.map((_, index) => lettersOf(index));
  const names = columns.columns.map(({ name }) => name);
  const declarations = names.map(name => declared.get(name));
  const head = rowXml(names, letters, 1, options, []);
  let sheet: Readable | undefined;
  let sheets = 0;
  let isLast = false;

  async function* sheetXml(): AsyncGenerator<string> {
    yield `${XML}<worksheet xmlns="${MAIN}"><sheetData>${head}`;
    let text = '';
    for (let place = 2; place <= maxSheetRows; place += 1) {
      const { value, done } = await rows.next();
      if (done) {
        isLast = true;
        break;
      }
      text += rowXml(value, letters, place, options, declarations);
      if (text.length < 64 * 1024) continue;
      yield text;
      text = '';
    }
    yield `${text}</sheetData></worksheet>`;
  }

  // yazl reads the next sheet only when the one before it is written.
  const addSheet = () => {
    sheets += 1;
    sheet = Readable.from(sheetXml(), { objectMode: false, highWaterMark: 64 * 1024 });
    sheet.once('error', error => output.destroy(error));
    sheet.once('end', () => (isLast ? finish() : addSheet()));
    zip.addReadStream(sheet, `xl/worksheets/sheet${sheets}.xml`, { mtime: WRITTEN });
  };
  const finish = () => {
    for (const [path, content] of Object.entries(frame(sheets))) {
      zip.addBuffer(Buffer.from(XML + content), path, { mtime: WRITTEN });
    }
    zip.end();
  };
  addSheet();
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    sheet?.destroy();
    await rows.return(undefined);
  }
}

async function* oneByOne<T>(slices: AsyncIterable<Iterable<T>>): AsyncGenerator<T> {
  for await (const slice of slices) yield* slice;
}

/** Makes the files of the workbook besides its sheets. */
function frame(sheets: number): Record<string, string> {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1);
  const each = (toXml: (n: number) => string) => numbers.map(toXml).join('');
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET_TYPE}.styles+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/>${each(n => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/>`)}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${each(n => `<sheet name="Sheet${n}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${each(n => `<Relationship Id="rId${n}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="rId${sheets + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': STYLES,
  };
}

function rowXml(
  values: unknown[],
  letters: string[],
  place: number,
  options: FormatOptions,
  declarations: (Declared | undefined)[],
): string {
  let xml = `<row r="${place}">`;
  for (const [index, value] of values.entries()) {
    xml += cellXml(value, `${letters[index]}${place}`, options, declarations[index]);
  }
  return `${xml}</row>`;
}

function cellXml(
  value: unknown,
  at: string,
  { joinsLists, onNumberAsText }: FormatOptions,
  declared: Declared | undefined,
): string {
  const number = numberOf(value, declared);
  if (number !== null) return `<c r="${at}"><v>${Object.is(number, -0) ? '-0' : number}</v></c>`;
  const day = serialOf(value, declared);
  if (day !== null) return `<c r="${at}" s="${declared?.type === 'date' ? DATE_STYLE : TIME_STYLE}"><v>${day}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${at}" t="b"><v>${value ? 1 : 0}</v></c>`;
  const text = plainText(value, joinsLists);
  if (text === '') return '';
  if (typeof value === 'number' ? !Number.isFinite(value) : declared?.type === 'double') onNumberAsText?.();
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escaped(fitting(text))}</t></is></c>`;
}

/** Returns a number as Excel can hold it: with 15 digits. Null for everything else, which stays text. */
function numberOf(value: unknown, declared: Declared | undefined): number | null {
  if (typeof value === 'number') {
    return Number.isFinite(value) && !(Number.isInteger(value) && Math.abs(value) >= 1e15) ? value : null;
  }
  const isNumber = declared?.type === 'long' || declared?.type === 'decimal' || isDecimal128(value);
  if (!isNumber || value === null || value === undefined) return null;
  const text = String(value);
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '');
  return DECIMAL.test(text) && digits.length <= MAX_DIGITS ? Number(text) : null;
}

const isDecimal128 = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && isBson(value) && value._bsontype === 'Decimal128';

/**
 * Returns the number by which Excel counts a time, in days. Null for other values, and for times that Excel does not
 * know: before March 1900 and after 9999.
 */
function serialOf(value: unknown, declared: Declared | undefined): number | null {
  const isTime = declared && typeof value === 'string';
  const ms = types.isDate(value) ? value.getTime() : isTime ? millisecondsOf(value, declared) : undefined;
  if (ms === undefined || !(ms >= FIRST_MS && ms < END_MS)) return null;
  return (ms - DAY_0_MS) / DAY_MS;
}

/** Cuts a text to the length of a cell, and ends it with a note about the cut. */
function fitting(text: string): string {
  if (text.length <= MAX_CELL_CHARS) return text;
  const note = `… (cut; the whole text has ${text.length} characters)`;
  return text.slice(0, MAX_CELL_CHARS - note.length) + note;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Characters that XML has no way to write, and carriage returns, which XML readers change. Excel writes them as
 * `_x000D_`, and the start of a text that only looks like this as `_x005F_`.
 */
const UNWRITABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot contain them
  /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const escaped = (text: string): string =>
  text
    .replace(UNWRITABLE, character => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>]/g, character => ENTITIES[character] ?? character);

/** Returns the letters of a column: A, B, … Z, AA, AB, … */
function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}

export const xlsx: ExportFormat = {
  extension: 'xlsx',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  needs: 'names',
  write: writeXlsx,
};
