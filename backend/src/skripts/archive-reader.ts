import { crc32 } from 'node:zlib';
import { LIMITS } from '@trawl/contracts';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { ApiError } from '../common/errors.js';
import { TakenNames } from './names.js';

/** As many files, inputs and input secrets as a skript may have, with their folders. */
const MAX_ENTRIES = 2_000;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 0x1 | 0x40 | 0x2000;
/** The type of a file in the upper half of its attributes, as Unix writes it. */
const TYPE_MASK = 0o170000;
const REGULAR_OR_UNSAID = [0o100000, 0];
const FOLDER = 0o040000;
/** What systems leave in folders by themselves. */
const LEFT_BEHIND = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/** The texts of an archive by their names, those of a single folder without it. */
export type ArchiveTexts = Map<string, string>;

/**
 * Unpacks a zip that anybody may have made. Nothing is written to disk; what is in memory at once is bounded by
 * `LIMITS.archiveUnpackedBytes`, whatever the archive says of itself.
 * @throws {ApiError} 422 `archive_invalid` or 413 `payload_too_large`, naming the entry.
 */
export async function readArchive(bytes: Buffer): Promise<ArchiveTexts> {
  const zip = await open(bytes);
  const taken = new TakenNames();
  const texts: ArchiveTexts = new Map();
  let count = 0;
  let unpacked = 0;
  for await (const entry of entriesOf(zip)) {
    count += 1;
    if (count > MAX_ENTRIES)
      throw new ApiError('payload_too_large', `The archive has more than ${MAX_ENTRIES} entries.`);
    const name = nameOf(entry);
    checkPath(name);
    if (isFolder(entry, name) || LEFT_BEHIND.test(name)) continue;
    checkKind(entry, name);
    unpacked += entry.uncompressedSize;
    checkSizes(entry, name, unpacked);
    const rival = taken.add(name);
    if (rival !== undefined) {
      throw invalid(name, `is there twice, or as ${shown(rival)}, which differs in case only or is a folder of it`);
    }
    texts.set(name, decode(await contentOf(zip, entry, name), name));
  }
  return withoutTopFolder(texts);
}

export const invalid = (name: string, message: string): ApiError =>
  new ApiError('archive_invalid', `${shown(name)} in the archive ${message}.`, { entry: name.slice(0, 300) });

const shown = (name: string): string => JSON.stringify(name.slice(0, 300));

function open(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    // Undecoded, so that a name that is none is refused here, in our words.
    fromBuffer(bytes, { lazyEntries: true, decodeStrings: false, validateEntrySizes: true }, (error, zip) => {
      if (error) reject(broken());
      else resolve(zip);
    });
  });
}

const broken = (): ApiError =>
  new ApiError(
    'archive_invalid',
    'The archive cannot be read: it is no zip file, or a part of it is missing or damaged. Make it anew and send the whole file.',
  );

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  let settle: { resolve: (entry: Entry | null) => void; reject: (error: Error) => void } | undefined;
  zip.on('entry', (entry: Entry) => settle?.resolve(entry));
  zip.on('end', () => settle?.resolve(null));
  zip.on('error', () => settle?.reject(broken()));
  for (;;) {
    const entry = await new Promise<Entry | null>((resolve, reject) => {
      settle = { resolve, reject };
      zip.readEntry();
    });
    if (entry === null) return;
    yield entry;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function nameOf({ fileName }: Entry): string {
  const bytes = fileName as unknown as Buffer;
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid(bytes.toString('latin1'), 'has a name that is not UTF-8');
  }
}

function checkPath(name: string): void {
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) throw invalid(name, 'has an absolute path');
  if (name.includes('\\')) throw invalid(name, 'has a backslash in its name; folders are separated by /');
  if (name.split('/').some(part => part === '.' || part === '..')) throw invalid(name, 'has . or .. in its path');
}

const typeOf = ({ externalFileAttributes }: Entry): number => (externalFileAttributes >>> 16) & TYPE_MASK;

const isFolder = (entry: Entry, name: string): boolean =>
  name.endsWith('/') && [FOLDER, 0].includes(typeOf(entry)) && entry.uncompressedSize === 0;

function checkKind(entry: Entry, name: string): void {
  if (entry.generalPurposeBitFlag & ENCRYPTED) throw invalid(name, 'is encrypted; make the archive without a password');
  if (!REGULAR_OR_UNSAID.includes(typeOf(entry))) {
    throw invalid(name, 'is a link or another thing that is no file; put the file itself into the archive');
  }
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw invalid(name, `is compressed by method ${entry.compressionMethod}; only deflate can be read`);
  }
}

/** By what the entry says of itself. Unpacking then ends where that was too little. */
function checkSizes({ uncompressedSize }: Entry, name: string, unpacked: number): void {
  if (uncompressedSize > LIMITS.fileBytes) {
    throw new ApiError(
      'payload_too_large',
      `${shown(name)} in the archive is ${uncompressedSize} bytes; a file may have ${LIMITS.fileBytes}.`,
    );
  }
  if (unpacked > LIMITS.archiveUnpackedBytes) {
    throw new ApiError(
      'payload_too_large',
      `With ${shown(name)} the archive is more than ${LIMITS.archiveUnpackedBytes} bytes unpacked, which is the most it may be.`,
    );
  }
}

async function contentOf(zip: ZipFile, entry: Entry, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
    });
    // It fails as soon as more comes than the entry said.
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch (error) {
    throw invalid(name, `cannot be unpacked: ${(error as Error).message.slice(0, 200)}`);
  }
  const content = Buffer.concat(chunks);
  if (crc32(content) !== entry.crc32) throw invalid(name, 'is damaged: its checksum is another one');
  return content;
}

function decode(content: Buffer, name: string): string {
  const binary = () => invalid(name, 'is not text in UTF-8; the files of a skript are text, so leave it out');
  if (content.includes(0)) throw binary();
  try {
    return utf8.decode(content);
  } catch {
    throw binary();
  }
}

/** Most tools put a folder with all its files into an archive as that folder. */
function withoutTopFolder(texts: ArchiveTexts): ArchiveTexts {
  const names = [...texts.keys()];
  const top = /^[^/]+\//.exec(names[0] ?? '')?.[0];
  if (top === undefined || !names.every(name => name.startsWith(top))) return texts;
  return new Map([...texts].map(([name, text]) => [name.slice(top.length), text]));
}
