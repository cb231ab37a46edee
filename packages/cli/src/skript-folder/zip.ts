import { buffer } from 'node:stream/consumers';
import { fileBytes, fileText, LIMITS } from '@trawl/contracts';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { Failure } from '../failure.js';

export async function zip(texts: Iterable<[name: string, text: string]>): Promise<Uint8Array> {
  const archive = new ZipFile();
  for (const [name, text] of texts) archive.addBuffer(fileBytes(text), name);
  archive.end();
  return buffer(archive.outputStream as unknown as AsyncIterable<Buffer>);
}

/**
 * Reads the texts of an archive from the platform, up to the platform's own limit for archives. The names may be
 * hostile.
 */
export async function unzip(bytes: ArrayBuffer): Promise<Map<string, string>> {
  try {
    return await read(bytes);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`The archive from the platform cannot be read: ${(error as Error).message}.`);
  }
}

async function read(bytes: ArrayBuffer): Promise<Map<string, string>> {
  const archive = await fromBufferPromise(Buffer.from(bytes), { validateEntrySizes: true });
  const texts = new Map<string, string>();
  let unpacked = 0;
  for await (const entry of archive.eachEntry()) {
    unpacked += entry.uncompressedSize;
    if (unpacked > LIMITS.archiveUnpackedBytes) {
      throw new Failure(`The archive from the platform is larger than ${LIMITS.archiveUnpackedBytes} bytes.`);
    }
    if (entry.fileName.endsWith('/')) continue;
    texts.set(entry.fileName, fileText(await buffer(await archive.openReadStreamPromise(entry))));
  }
  return texts;
}
