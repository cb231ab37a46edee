import { isDay } from '../../../../data/storage/values/days.js';
import { MAX_COLUMNS, MAX_ROW_BYTES } from '../csv-rows.js';
import type { Source } from '../source.js';
import { COPY_TABLE, SAVE_AS_TABLE, UnreadableFile } from '../unreadable.js';
import { type Archive, openArchive } from './archive.js';
import { UNSAVED_FORMULA } from './unsaved-formula.js';
import { parseXml, type XmlEvents } from './xml.js';

export type XlsxCell = string | number | boolean | Date | typeof UNSAVED_FORMULA | undefined;

/** Texts that the cells refer to are in memory while the sheet is read. */
const MAX_SHARED_CHARS = 64 * 1024 * 1024;
const MAX_SHARED = 4_000_000;
/** Places of cells in a sheet, also empty ones: rows of a few cells far to the right take no bytes. */
const MAX_PLACES = 200_000_000;
const MAX_SHEETS = 1_000;
/** Excel allows 31. */
const MAX_SHEET_NAME_CHARS = 300;
const DAY_MS = 86_400_000;
/** The day with the number 0, as a number of days since 1970. */
const FIRST_DAY = { 1900: -25_569, 1904: -24_107 };

/** Excel takes 1900 for a leap year. The number of the day that never was; those before it are one more than they should be. */
const FALSE_LEAP_DAY = 60;

export interface XlsxSheet {
  name: string;
  /**
   * Reads the rows with the types of the cells: texts, numbers, booleans and dates. An empty cell is undefined, and rows
   * without any cell are skipped. Formulas give the value that was saved with them, or UNSAVED_FORMULA.
   */
  rows: () => AsyncGenerator<XlsxCell[]>;
}

interface CellSettings {
  firstDay: number;
  texts: string[];
  /** For each style of cells, whether it shows a date. */
  dateStyles: boolean[];
}

/**
 * Opens the sheets of a workbook in their order, also hidden ones and those without rows. Reads only the names and what all cells share.
 * @throws {UnreadableFile} for a file that is no workbook, or that would take too much memory.
 */
export async function openSheets(source: Source): Promise<XlsxSheet[]> {
  const archive = await openArchive(source);
  if (!archive.has('xl/workbook.xml')) throw otherArchive(archive);
  const found: { name: string; relation: string }[] = [];
  let firstDay = FIRST_DAY[1900];
  await read(archive, 'xl/workbook.xml', (name, attribute) => {
    if (name === 'sheet') found.push({ name: attribute('name') ?? '', relation: attribute('id') ?? '' });
    if (found.length > MAX_SHEETS) {
      throw new UnreadableFile(`The workbook has more than ${MAX_SHEETS} sheets. Save the sheet to import as CSV.`);
    }
    if (name === 'workbookPr' && /^(1|true)$/.test(attribute('date1904') ?? '')) firstDay = FIRST_DAY[1904];
  });
  const parts = new Map<string, string>();
  await read(archive, 'xl/_rels/workbook.xml.rels', (_name, attribute) => {
    const target = attribute('Target') ?? '';
    parts.set(attribute('Id') ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`);
  });
  const settings = { firstDay, texts: await sharedTexts(archive), dateStyles: await dateStylesOf(archive) };
  const sheets = found.flatMap(({ name, relation }, at) => {
    const part = parts.get(relation);
    return part === undefined ? [] : { name: sheetName(name, at + 1), rows: () => rowsOf(archive, part, settings) };
  });
  if (sheets.length === 0) throw new UnreadableFile('The workbook has no sheet.');
  return sheets;
}

const sheetName = (name: string, position: number): string =>
  [...name].slice(0, MAX_SHEET_NAME_CHARS).join('') || `Sheet${position}`;

async function* rowsOf(archive: Archive, part: string, settings: CellSettings): AsyncGenerator<XlsxCell[]> {
  const reader = new SheetReader(settings);
  for await (const _ of parseXml(archive.read(part), reader)) yield* reader.take();
}

/** Reads the rows of a sheet; without a name, of the first that has any. */
export async function* xlsxRows(source: Source, name?: string): AsyncGenerator<XlsxCell[]> {
  for (const sheet of await openSheets(source)) {
    if (name !== undefined && sheet.name !== name) continue;
    let hasRows = false;
    for await (const row of sheet.rows()) {
      hasRows = true;
      yield row;
    }
    if (hasRows) return;
  }
}

/** Parts of archives that are no XLSX workbooks, and what has them. */
const OTHER_ARCHIVES: [part: string, what: string, advice: string][] = [
  ['xl/workbook.bin', 'a binary Excel workbook (.xlsb)', SAVE_AS_TABLE],
  ['content.xml', 'an OpenDocument file, such as .ods', SAVE_AS_TABLE],
  ['Index/Document.iwa', 'a file of Numbers, Pages or Keynote', SAVE_AS_TABLE],
  ['word/document.xml', 'a Word document', COPY_TABLE],
  ['ppt/presentation.xml', 'a presentation', COPY_TABLE],
];

function otherArchive(archive: Archive): UnreadableFile {
  const [, what, advice] = OTHER_ARCHIVES.find(([part]) => archive.has(part)) ?? [];
  return new UnreadableFile(
    what
      ? `The file is ${what}, not an XLSX workbook. ${advice}`
      : 'The file is a ZIP archive, not an XLSX workbook. Unpack it, and upload the file in it.',
  );
}

/** Calls `open` for each element of a part. A part that is not there has none. */
async function read(archive: Archive, path: string, open: XmlEvents['open']): Promise<void> {
  if (!archive.has(path)) return;
  const events: XmlEvents = { open, close: () => undefined, text: () => undefined };
  for await (const _ of parseXml(archive.read(path), events));
}

async function sharedTexts(archive: Archive): Promise<string[]> {
  const path = 'xl/sharedStrings.xml';
  const texts: string[] = [];
  if (!archive.has(path)) return texts;
  const text = new TextCollector();
  let chars = 0;
  const events: XmlEvents = {
    open: name => {
      if (name === 'si') text.clear();
      text.open(name);
    },
    close: name => {
      text.close(name);
      if (name !== 'si') return;
      chars += text.value.length;
      texts.push(withoutEscapes(text.value));
      if (chars > MAX_SHARED_CHARS || texts.length > MAX_SHARED) {
        throw new UnreadableFile('The workbook has too many different texts. Save it as CSV.');
      }
    },
    text: part => text.add(part),
  };
  for await (const _ of parseXml(archive.read(path), events));
  return texts;
}

/** Built-in formats of dates and times. 46 is a duration, 48 a number with an exponent, and 49 text. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58);

const DURATION = /\[(h+|m+|s+)\]/i;
/** A format with a letter of a day or year outside of quotes, brackets and escapes. A duration, such as `[h]:mm`, is no date. */
const isDateFormat = (code: string): boolean =>
  !DURATION.test(code) && /[dmyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*.|General/gi, ''));

async function dateStylesOf(archive: Archive): Promise<boolean[]> {
  const formats = new Map<number, boolean>();
  const styles: boolean[] = [];
  let isInCells = false;
  await read(archive, 'xl/styles.xml', (name, attribute) => {
    if (name === 'cellXfs') isInCells = true;
    else if (/^(cellStyles|cellStyleXfs|dxfs)$/.test(name)) isInCells = false;
    const id = Number(attribute('numFmtId') ?? 0);
    if (name === 'numFmt') formats.set(id, isDateFormat(attribute('formatCode') ?? ''));
    if (name === 'xf' && isInCells) styles.push(formats.get(id) ?? isBuiltInDate(id));
  });
  return styles;
}

/** Collects the text of `t` elements, without hints for the pronunciation. */
class TextCollector {
  value = '';
  #isInText = false;
  #isInHint = false;

  clear(): void {
    this.value = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.#isInHint = true;
    if (name === 't') this.#isInText = true;
  }

  close(name: string): void {
    if (name === 'rPh') this.#isInHint = false;
    if (name === 't') this.#isInText = false;
  }

  add(part: string): void {
    if (!this.#isInText || this.#isInHint) return;
    this.value += part;
    if (this.value.length > MAX_ROW_BYTES) throw new UnreadableFile(`A text is larger than ${MAX_ROW_BYTES} bytes.`);
  }
}

/** Excel writes characters that XML lacks as `_x000D_`. */
const withoutEscapes = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Makes rows of the elements of a sheet. */
class SheetReader implements XmlEvents {
  #rows: XlsxCell[][] = [];
  #row: XlsxCell[] = [];
  #column = -1;
  #type = '';
  #style = 0;
  #value = '';
  #isInValue = false;
  #isUnsaved = false;
  #places = 0;
  #rowChars = 0;
  readonly #text = new TextCollector();

  constructor(private readonly settings: CellSettings) {}

  take(): XlsxCell[][] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'row') {
      this.#row = [];
      this.#column = -1;
      this.#rowChars = 0;
    } else if (name === 'c') {
      this.#column = columnOf(attribute('r')) ?? this.#column + 1;
      if (this.#column >= MAX_COLUMNS) throw new UnreadableFile(`A row has more than ${MAX_COLUMNS} cells.`);
      this.#type = attribute('t') ?? 'n';
      this.#style = Number(attribute('s') ?? 0);
      this.#value = '';
      this.#isUnsaved = false;
      this.#text.clear();
    } else if (name === 'f') this.#isUnsaved = true;
    else if (name === 'v') {
      this.#isInValue = true;
      this.#isUnsaved = false;
    }
    this.#text.open(name);
  }

  text(part: string): void {
    if (this.#isInValue) this.#value += part;
    else this.#text.add(part);
    this.#rowChars += part.length;
    if (this.#rowChars > MAX_ROW_BYTES) throw new UnreadableFile(`A row is larger than ${MAX_ROW_BYTES} bytes.`);
  }

  close(name: string): void {
    this.#text.close(name);
    if (name === 'v') this.#isInValue = false;
    else if (name === 'c') {
      const cell = this.#cell();
      if (cell === undefined) return;
      while (this.#row.length < this.#column) this.#row.push(undefined);
      this.#row[this.#column] = cell;
    } else if (name === 'row' && this.#row.length > 0) {
      this.#places += this.#row.length;
      if (this.#places > MAX_PLACES) throw new UnreadableFile('The sheet has too many empty cells.');
      this.#rows.push(this.#row);
    }
  }

  #cell(): XlsxCell {
    if (this.#isUnsaved) return UNSAVED_FORMULA;
    const value = this.#value;
    switch (this.#type) {
      case 's':
        return value === '' ? undefined : this.settings.texts[Number(value)];
      case 'inlineStr':
        return withoutEscapes(this.#text.value);
      case 'str':
        return withoutEscapes(value);
      case 'b':
        return value === '' ? undefined : value === '1' || value === 'true';
      case 'e':
        return value;
      case 'd':
        return value === '' ? undefined : dateOf(value);
      default:
        return value === '' ? undefined : this.#number(Number(value), value);
    }
  }

  #number(number: number, text: string): XlsxCell {
    if (!Number.isFinite(number)) return text;
    // A time without a day stays a number: it is a share of a day.
    if (!this.settings.dateStyles[this.#style] || number < 1) return keepsDigits(number, text) ? number : text;
    const is1900 = this.settings.firstDay === FIRST_DAY[1900];
    if (is1900 && Math.floor(number) === FALSE_LEAP_DAY) return '1900-02-29';
    const shift = is1900 && number < FALSE_LEAP_DAY ? 1 : 0;
    const date = new Date(Math.round((number + shift + this.settings.firstDay) * DAY_MS));
    return Number.isNaN(date.getTime()) ? number : date;
  }
}

/** Returns the text if it is no date, such as a time or the 30th of February. */
function dateOf(text: string): Date | string {
  if (!isDay(text)) return text;
  const date = new Date(text.length === 10 || /(Z|[+-]\d\d:?\d\d)$/.test(text.slice(10)) ? text : `${text}Z`);
  return Number.isNaN(date.getTime()) ? text : date;
}

const digitsOf = (text: string): string =>
  text
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');

/** Digits that every number keeps, and that `toPrecision` takes. */
const SAFE_DIGITS = 15;
const MAX_PRECISION = 100;

/** Tells whether a number has all digits of its text. Excel writes the 17 digits of a number; other programs write more. */
function keepsDigits(number: number, text: string): boolean {
  const digits = digitsOf(text);
  if (digits.length <= SAFE_DIGITS) return true;
  return digits.length <= MAX_PRECISION && digitsOf(number.toPrecision(digits.length)) === digits;
}

/** Returns the column of a reference such as `AB12`, from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? '')?.[0];
  return letters === undefined
    ? undefined
    : [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
