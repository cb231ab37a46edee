import { fileTypeFromBuffer } from 'file-type';
import { isGzipped, MAGIC_BYTES, type Source } from '../parsing/source.js';
import { COPY_TABLE, SAVE_AS_TABLE, UnreadableFile } from '../parsing/unreadable.js';

const UNPACK = 'Unpack it, and upload the file in it.';

/** Kinds of files that are often taken for tables, by their endings in the library `file-type`: what each is, and what to do. */
const KINDS: Record<string, [what: string, advice: string]> = {
  pdf: ['a PDF document', SAVE_AS_TABLE],
  ps: ['a PostScript document', SAVE_AS_TABLE],
  rtf: ['a document in Rich Text Format', SAVE_AS_TABLE],
  xml: ['XML', SAVE_AS_TABLE],
  ics: ['a calendar', SAVE_AS_TABLE],
  vcf: ['a list of contacts (vCard)', SAVE_AS_TABLE],
  sqlite: ['an SQLite database', 'Export its table as CSV, and upload that file.'],
  '7z': ['a 7-Zip archive', UNPACK],
  bz2: ['compressed with bzip2', UNPACK],
  gz: ['compressed with gzip twice', UNPACK],
  rar: ['a RAR archive', UNPACK],
  tar: ['a tar archive', UNPACK],
  xz: ['compressed with xz', UNPACK],
  zst: ['compressed with Zstandard', UNPACK],
};
/** Kinds that Trawl reads, as another format. */
const OTHER_FORMATS: typeof KINDS = {
  xlsx: ['an XLSX workbook', 'Choose the format xlsx.'],
  zip: ['a ZIP archive or workbook', 'Choose the format xlsx for a workbook; unpack an archive.'],
  parquet: ['a Parquet file', 'Choose the format parquet.'],
};
/** Kinds whose files may be text throughout. */
const ALWAYS = new Set(['pdf', 'ps', 'rtf']);
const UNLESS_CSV = new Set(['xml', 'ics', 'vcf']);

const HTML = /^\s*(<!--.*?-->\s*)?<(!doctype html|html|head|body|meta|style|table)\b/is;

/** Characters that texts hardly have: all controls but tab, line ends, form feed and the escape of ISO-2022-JP. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them
const CONTROL = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/g;
const MIN_CONTROLS = 10;
const CONTROLS_OF_BINARY = 0.05;

const controlsIn = (text: string): number => text.match(CONTROL)?.length ?? 0;
const hasManyControls = (text: string): boolean =>
  controlsIn(text) >= Math.min(MIN_CONTROLS, text.length) && controlsIn(text) > text.length * CONTROLS_OF_BINARY;

/**
 * Refuses a file whose first bytes say that it is no text, such as a PDF document or an old Excel workbook.
 * @param start the first `MAGIC_BYTES` bytes, unpacked.
 * @param isAnyText whether the user has named CSV, as which text that begins as XML does may be read.
 * @throws {UnreadableFile} that says what the file is, and what to do.
 */
export async function refuseOtherKinds(source: Source, start: Buffer, isAnyText: boolean): Promise<void> {
  // The library takes the byte order mark of UTF-16 for the beginning of a sound.
  if (/^(\xff\xfe|\xfe\xff)/.test(start.toString('latin1', 0, 2))) return;
  const kind = await fileTypeFromBuffer(start.subarray(0, MAGIC_BYTES));
  if (!kind) return;
  if (kind.ext === 'cfb') throw await oldOfficeFile(source);
  const isSure = ALWAYS.has(kind.ext) || (UNLESS_CSV.has(kind.ext) && !isAnyText);
  // The first letters of a text, such as "BM" and "MZ", may be those of a picture or a program.
  if (!isSure && !hasManyControls(start.toString('latin1'))) return;
  const [readable, format] = OTHER_FORMATS[kind.ext] ?? [];
  if (readable) {
    const isPacked = await isGzipped(source);
    throw new UnreadableFile(
      isPacked ? `The file is ${readable} compressed with gzip. ${UNPACK}` : `The file is ${readable}. ${format}`,
    );
  }
  const [what, advice] = KINDS[kind.ext] ?? [`of the type ${kind.mime}`, SAVE_AS_TABLE];
  throw new UnreadableFile(`The file is ${what}, which is no table that Trawl can read. ${advice}`);
}

/**
 * Refuses a file that does not begin as the format which the user has chosen.
 * @param start its first bytes, unpacked.
 * @throws {UnreadableFile} always, saying what the file is, and what to do.
 */
export async function refuseAs(format: 'xlsx' | 'parquet', source: Source, start: Buffer): Promise<never> {
  const [what, advice] = (await isGzipped(source))
    ? ['compressed with gzip', UNPACK]
    : hasManyControls(start.toString('latin1'))
      ? ['of an unknown kind', SAVE_AS_TABLE]
      : ['text', 'Choose the format of its text, such as csv or ndjson.'];
  const wished = { xlsx: 'an XLSX workbook', parquet: 'a Parquet file' }[format];
  throw new UnreadableFile(`The file is ${what}, not ${wished}. ${advice}`);
}

/** @throws {UnreadableFile} for a web page, such as tables that programs save as .xls. */
export function refuseHtml(start: string): void {
  if (HTML.test(start)) {
    throw new UnreadableFile(
      'The file is a web page (HTML), even if its name ends with .xls or .csv. Open it in a spreadsheet, save it as .xlsx or CSV, and upload that file.',
    );
  }
}

/** @throws {UnreadableFile} for decoded text that consists of control characters to a large part. */
export function refuseControls(start: string): void {
  if (!hasManyControls(start)) return;
  throw new UnreadableFile(
    `The file is no text: ${controlsIn(start)} of its first ${start.length} characters are control characters. Choose another \`encoding\` if it is text, or save it as .xlsx or CSV.`,
  );
}

const SECTOR_BYTES = 512;
const DIRECTORY_BYTES = 8 * SECTOR_BYTES;
const DIRECTORY_AT = 48;
const VERSION_AT = 26;

/** Names in the directory of an OLE container, and what has them. */
const OLD_FILES: [name: RegExp, what: string, advice: string][] = [
  [/\0(Workbook|Book)\0/, 'an old Excel workbook (.xls)', SAVE_AS_TABLE],
  [/\0WordDocument\0/, 'an old Word document (.doc)', COPY_TABLE],
  [/\0PowerPoint Document\0/, 'an old presentation (.ppt)', COPY_TABLE],
  [/(?:)/, 'an old Office file, such as .xls', SAVE_AS_TABLE],
];

/** Reads the names in the directory of an OLE container, in which Excel up to 2003 and workbooks with a password are stored. */
async function oldOfficeFile(source: Source): Promise<UnreadableFile> {
  const header = await source.slice(0, SECTOR_BYTES);
  const isLarge = header.length === SECTOR_BYTES && header.readUInt16LE(VERSION_AT) === 4;
  const sectorBytes = isLarge ? 8 * SECTOR_BYTES : SECTOR_BYTES;
  const at = header.length === SECTOR_BYTES ? (header.readUInt32LE(DIRECTORY_AT) + 1) * sectorBytes : 0;
  const directory = (await source.slice(at, at + DIRECTORY_BYTES)).toString('utf16le');
  if (directory.includes('EncryptedPackage')) {
    return new UnreadableFile(
      'The file is a workbook with a password, so Trawl cannot read it. Save it without the password, and upload that file.',
    );
  }
  const [, what, advice] = OLD_FILES.find(([name]) => name.test(directory)) ?? [];
  return new UnreadableFile(`The file is ${what}, which Trawl does not read. ${advice}`);
}
