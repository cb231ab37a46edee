import { crc32 } from 'node:zlib';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { ApiError } from '../../../platform/common/errors.js';
import { ArchiveFiles, invalid, MAX_ENTRIES, type ReadArchive } from './archive-texts.js';

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 0x1 | 0x40 | 0x2000;
/** Mask for the Unix file type in the upper 16 bits of an entry's external attributes. */
const TYPE_MASK = 0o170000;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const REGULAR_OR_UNKNOWN = [0o100000, 0];
const FOLDER = 0o040000;
/**
 * Unpacks an untrusted zip. Writes nothing to disk and holds at most `LIMITS.archiveUnpackedBytes` in memory, even if
 * the archive declares false sizes. This limit is absolute: a limit of the compression ratio would refuse a legal file with
 * a million spaces.
 * @throws {ApiError} 422 `archive_invalid` or 413 `payload_too_large`, naming the entry.
 */
export async function readArchive(bytes: Buffer): Promise<ReadArchive> {
  const zip = await open(bytes);
  const files = new ArchiveFiles();
  let count = 0;
  for await (const entry of entriesOf(zip)) {
    count += 1;
    if (count > MAX_ENTRIES) {
      throw new ApiError(
        'payload_too_large',
        `The archive has more than ${MAX_ENTRIES} entries. Leave out folders such as node_modules and .git.`,
      );
    }
    const name = nameOf(entry);
    if (isFolder(entry, name)) files.addFolder(name);
    else files.add({ name, bytes: entry.uncompressedSize, read: () => contentOf(zip, entry, name) });
  }
  return files.texts();
}

function open(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    // Leave the names undecoded, so that `nameOf` can refuse a name that is not UTF-8.
    fromBuffer(bytes, { lazyEntries: true, decodeStrings: false, validateEntrySizes: true }, (error, zip) => {
      if (error) reject(broken());
      else resolve(zip);
    });
  });
}

const broken = (): ApiError =>
  new ApiError(
    'archive_invalid',
    'The archive cannot be read: it is not a zip file, or it is incomplete or damaged. Create it again and upload the whole file.',
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

function nameOf({ fileName }: Entry): string {
  const bytes = fileName as unknown as Buffer;
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid(bytes.toString('latin1'), 'has a name that is not UTF-8');
  }
}

const typeOf = ({ externalFileAttributes }: Entry): number => (externalFileAttributes >>> 16) & TYPE_MASK;

const isFolder = (entry: Entry, name: string): boolean =>
  name.endsWith('/') && [FOLDER, 0].includes(typeOf(entry)) && entry.uncompressedSize === 0;

function checkKind(entry: Entry, name: string): void {
  if (entry.generalPurposeBitFlag & ENCRYPTED)
    throw invalid(name, 'is encrypted; create the archive without a password');
  if (!REGULAR_OR_UNKNOWN.includes(typeOf(entry))) {
    throw invalid(name, 'is a link or another special file; put the file itself into the archive');
  }
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw invalid(name, `uses compression method ${entry.compressionMethod}; only deflate is supported`);
  }
}

async function contentOf(zip: ZipFile, entry: Entry, name: string): Promise<Buffer> {
  checkKind(entry, name);
  const chunks: Buffer[] = [];
  try {
    const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
    });
    // Reading throws an error if the entry is larger than its declared size.
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch (error) {
    throw invalid(name, `cannot be unpacked: ${(error as Error).message.slice(0, 200)}`);
  }
  const content = Buffer.concat(chunks);
  if (crc32(content) !== entry.crc32) throw invalid(name, 'is damaged: its checksum does not match');
  return content;
}
