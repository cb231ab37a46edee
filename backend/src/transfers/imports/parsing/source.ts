import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnreadableFile } from './unreadable.js';

/** An uploaded file. */
export interface Source {
  /** Opens the file at its beginning. */
  open: () => AsyncIterable<Buffer>;
  size: () => Promise<number>;
  /** Reads the bytes from `start` up to `end`. */
  slice: (start: number, end: number) => Promise<Buffer>;
}

/** The first bytes by which the kind of a file is recognised. */
export const MAGIC_BYTES = 4_100;

/** What a compressed file may unpack to: honest tables reach 50 times their size, bombs a thousand times. */
export const mostUnpacked = (packedBytes: number): number => 200 * packedBytes + 64 * 1024 * 1024;

/** An archive without files begins with its end. */
export const isZip = (start: Buffer): boolean => ['PK\x03\x04', 'PK\x05\x06'].includes(start.toString('latin1', 0, 4));
/** An encrypted file begins with PARE. */
export const isParquet = (start: Buffer): boolean => /^PAR[1E]/.test(start.toString('latin1', 0, 4));
export const isGzip = (start: Buffer): boolean => start[0] === 0x1f && start[1] === 0x8b;
/** Tells whether a file that is not compressed may be text. */
export const isPlainText = (start: Buffer): boolean => !isZip(start) && !isParquet(start);

/** Tells whether a file is compressed with gzip. */
export async function isGzipped(source: Source): Promise<boolean> {
  return isGzip(await source.slice(0, 2));
}

/**
 * Unpacks a file if it is compressed with gzip.
 * @throws {UnreadableFile} for a damaged file, and for one that unpacks to far more than a table does.
 */
export async function* unpacked(source: Source): AsyncGenerator<Buffer> {
  if (!(await isGzipped(source))) return yield* source.open();
  let [packed, bytes] = [0, 0];
  const counted = (async function* () {
    for await (const chunk of source.open()) {
      packed += chunk.length;
      yield chunk;
    }
  })();
  const gunzip = createGunzip();
  // `pipeline` destroys the other streams if one fails, so that the loop below throws the error.
  pipeline(Readable.from(counted), gunzip, () => undefined);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostUnpacked(packed)) throw tooMuch();
      yield chunk;
    }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code?.startsWith('Z_')) {
      throw new UnreadableFile(
        `The file cannot be unpacked, because it is damaged or cut off: gzip says "${message}". Compress the original file again, or upload it without compression.`,
      );
    }
    throw error;
  }
}

export const tooMuch = (): UnreadableFile =>
  new UnreadableFile('The file unpacks to more than 200 times its size, so Trawl does not read it.');
