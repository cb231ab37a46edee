import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl';
import { mostUnpacked, type Source, tooMuch } from '../source.js';
import { reasonOf, UnreadableFile } from '../unreadable.js';

const MAX_ENTRIES = 10_000;
const READ_BYTES = 256 * 1024;

/** The parts of a workbook, which is a ZIP archive. */
export interface Archive {
  has: (path: string) => boolean;
  /** Unpacks a part while it is read. */
  read: (path: string) => AsyncGenerator<Buffer>;
}

class SourceReader extends RandomAccessReader {
  constructor(private readonly source: Source) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const { source } = this;
    return Readable.from(
      (async function* () {
        for (let at = start; at < end; at += READ_BYTES) yield await source.slice(at, Math.min(end, at + READ_BYTES));
      })(),
      { objectMode: false },
    );
  }
}

/** @throws {UnreadableFile} for bytes that are no ZIP archive, and for one that unpacks to far more than a table does. */
export async function openArchive(source: Source): Promise<Archive> {
  const size = await source.size();
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromRandomAccessReader(
      new SourceReader(source),
      size,
      // An entry that is larger than it says ends with an error.
      { lazyEntries: true, autoClose: false, validateEntrySizes: true },
      (error, opened) => (error ? reject(notAWorkbook(error)) : resolve(opened)),
    ),
  );
  const entries = new Map<string, Entry>();
  await new Promise<void>((resolve, reject) => {
    zip.on('error', error => reject(notAWorkbook(error)));
    zip.on('end', resolve);
    zip.on('entry', (entry: Entry) => {
      if (entries.size >= MAX_ENTRIES)
        return reject(new UnreadableFile(`The archive has more than ${MAX_ENTRIES} parts.`));
      entries.set(entry.fileName.replace(/^\//, ''), entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
  return {
    has: path => entries.has(path),
    read: async function* (path) {
      const entry = entries.get(path);
      if (!entry) throw new UnreadableFile(`The workbook lacks its part ${path.slice(0, 100)}.`);
      if (entry.uncompressedSize > mostUnpacked(entry.compressedSize)) throw tooMuch();
      const stream = await new Promise<Readable>((resolve, reject) =>
        zip.openReadStream(entry, (error, opened) => (error ? reject(notAWorkbook(error)) : resolve(opened))),
      );
      try {
        yield* stream as AsyncIterable<Buffer>;
      } catch (error) {
        throw notAWorkbook(error);
      } finally {
        stream.destroy();
      }
    },
  };
}

/** The errors of the library have no code; those of the database have one. */
function notAWorkbook(error: unknown): unknown {
  const { code } = error as { code?: string };
  if (error instanceof UnreadableFile || (code !== undefined && !code.startsWith('Z_'))) return error;
  const reason = reasonOf(error as Error).replace(/^End of central directory record.*/, 'its end is missing');
  return new UnreadableFile(
    `The file begins as a workbook or ZIP archive, but is damaged or cut off: ${reason}. Upload it again. If that does not help, save it again as .xlsx or CSV.`,
  );
}
