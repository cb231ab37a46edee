import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { open, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { AdminError } from '../admin-error.js';
import { FORMAT, MANIFEST, type Manifest, parseManifest } from './manifest.js';

/** Reads the entries of a backup. */
export class ArchiveReader {
  #bytesRead = 0;

  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: Map<string, ZipEntry>,
    readonly manifest: Manifest,
  ) {}

  /** @throws {AdminError} if the file is no complete backup, or one of a newer version. */
  static async open(path: string): Promise<ArchiveReader> {
    const zip = await openZip(path);
    try {
      const entries = await entriesOf(zip);
      const listed = entries.get(MANIFEST);
      if (!listed) throw new AdminError(`${path} is no backup of Trawl: it has no ${MANIFEST}.`);
      const text = (await buffer(await read(zip, listed))).toString('utf8');
      const { format } = JSON.parse(text) as { format?: number };
      if (format !== FORMAT) {
        throw new AdminError(
          `${path} has the format ${format}; this version of Trawl reads ${FORMAT}. Use the version that wrote it, or a later one.`,
        );
      }
      return new ArchiveReader(zip, entries, parseManifest(text));
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  /** Number of uncompressed bytes that `read` has read so far, from all entries. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** Reads everything once and compares it with the checksums. @throws {AdminError} naming the damaged entry. */
  async verify(): Promise<void> {
    for (const { name, bytes, sha256 } of this.manifest.entries) {
      const hash = createHash('sha256');
      let size = 0;
      try {
        for await (const chunk of await this.read(name)) {
          hash.update(chunk as Buffer);
          size += (chunk as Buffer).length;
        }
      } catch (error) {
        throw damaged(name, (error as Error).message);
      }
      if (size !== bytes || hash.digest('hex') !== sha256) throw damaged(name, 'its checksum is wrong');
    }
  }

  async read(name: string): Promise<Readable> {
    const entry = this.entries.get(name);
    if (!entry) throw damaged(name, 'it is missing');
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#bytesRead += chunk.length;
        done(null, chunk);
      },
    });
    // An error also ends `counted`, so the caller sees it there.
    pipeline(await read(this.zip, entry), counted, () => undefined);
    return counted;
  }

  close(): void {
    this.zip.close();
  }
}

const damaged = (name: string, reason: string): AdminError =>
  new AdminError(`The backup is damaged at ${name}: ${reason}. Nothing was restored. Use another backup.`);

function openZip(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false }, (error, zip) => {
      if (error) reject(new AdminError(problemOf(path, error)));
      else resolve(zip);
    });
  });
}

function problemOf(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `There is no file ${path}.`;
  if (code !== undefined) return `${path} cannot be read: ${message}.`;
  return `${path} is no complete backup: ${message.replace(/\.+$/, '')}.`;
}

function entriesOf(zip: ZipFile): Promise<Map<string, ZipEntry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, ZipEntry>();
    zip.on('entry', (entry: ZipEntry) => {
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.once('end', () => resolve(entries));
    zip.once('error', error => reject(new AdminError(`The backup cannot be read: ${error.message}.`)));
    zip.readEntry();
  });
}

function read(zip: ZipFile, entry: ZipEntry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
}
