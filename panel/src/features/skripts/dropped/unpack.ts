import { LIMITS } from '@trawl/contracts';

export interface DroppedFile {
  /** Path with slashes. */
  name: string;
  bytes: Uint8Array;
}

const ZIP = /\.zip$/i;
const TAR = /\.(tgz|tar|tar\.gz)$/i;
/** Endings of the archives that `unpack` reads, for a file input. */
export const ARCHIVE_ENDINGS = '.zip,.tgz,.tar.gz,.tar';

export const isArchive = (name: string): boolean => ZIP.test(name) || TAR.test(name);
export const isZip = (name: string): boolean => ZIP.test(name);

const tooLarge = (): Error =>
  new Error(`The archive is larger than ${LIMITS.archiveUnpackedBytes / 1024 / 1024} MiB, packed or unpacked.`);

async function unzip(bytes: Uint8Array): Promise<DroppedFile[]> {
  const { unzipSync } = await import('fflate');
  let unpacked = 0;
  const contents = unzipSync(bytes, {
    filter: ({ originalSize }) => {
      unpacked += originalSize;
      if (unpacked > LIMITS.archiveUnpackedBytes) throw tooLarge();
      return true;
    },
  });
  return Object.entries(contents).map(([name, content]) => ({ name, bytes: content }));
}

/** Decompresses until the limit, so that a small archive cannot fill the memory. */
async function gunzip(file: File): Promise<Uint8Array> {
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let unpacked = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    unpacked += value.length;
    if (unpacked > 2 * LIMITS.archiveUnpackedBytes) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
}

async function untar(bytes: Uint8Array): Promise<DroppedFile[]> {
  const { parseTar } = await import('nanotar');
  return parseTar(bytes)
    .filter(({ type }) => type === 'file')
    .map(({ name, data = new Uint8Array() }) => ({ name: name.replace(/^\.\//, ''), bytes: data }));
}

/** Reads the files of an archive. @throws {Error} with a message for the user. */
export async function unpack(file: File): Promise<DroppedFile[]> {
  if (file.size > LIMITS.archiveBytes) throw tooLarge();
  const bytes = async () => new Uint8Array(await file.arrayBuffer());
  try {
    const files = ZIP.test(file.name)
      ? await unzip(await bytes())
      : await untar(/\.tar$/i.test(file.name) ? await bytes() : await gunzip(file));
    return files.filter(({ name }) => !name.endsWith('/'));
  } catch (error) {
    const { message } = error as Error;
    if (message === tooLarge().message) throw error;
    throw new Error(`${file.name} cannot be read: it is damaged, or no archive of that kind.`, { cause: error });
  }
}
