import { crc32, deflateRawSync } from 'node:zlib';
import { fromBuffer } from 'yauzl';

export interface ZipEntry {
  name: string | Buffer;
  content?: string | Buffer;
  /** Values in the entry's header that differ from the true ones. */
  says?: Partial<{ size: number; crc: number; flags: number; method: number; attributes: number }>;
}

const FILE = 0o100644 << 16;
const UTF8_NAMES = 0x800;

/** Builds a zip file byte by byte, so that tests can also build invalid ones. */
export function zipOf(entries: ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', says = {} } of entries) {
    const [nameBytes, bytes] = [Buffer.from(name as string), Buffer.from(content as string)];
    const packed = deflateRawSync(bytes);
    const { size = bytes.length, crc = crc32(bytes), flags = UTF8_NAMES, method = 8, attributes = FILE } = says;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(flags, 2);
    head.writeUInt16LE(method, 4);
    head.writeUInt32LE(0x5821_0000, 6);
    head.writeUInt32LE(crc, 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(size, 18);
    head.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, nameBytes, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(attributes >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), head, tail, nameBytes]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end]);
}

/** Builds the archive of a skript. */
export const skriptZip = (title: string, more: ZipEntry[] = []): Buffer =>
  zipOf([
    { name: 'manifest.json', content: JSON.stringify({ title }) },
    { name: 'main.js', content: 'module.exports = async input => input;\n' },
    ...more,
  ]);

/** Returns the texts of all files in a zip, by name. */
export const unzip = (zip: Buffer): Promise<Record<string, string>> =>
  new Promise((resolve, reject) => {
    const texts: Record<string, string> = {};
    fromBuffer(zip, { lazyEntries: true }, (error, opened) => {
      if (error) return reject(error);
      opened.on('error', reject).on('end', () => resolve(texts));
      opened.on('entry', entry =>
        opened.openReadStream(entry, async (failure, stream) => {
          if (failure) return reject(failure);
          const chunks: Buffer[] = [];
          for await (const chunk of stream) chunks.push(chunk as Buffer);
          texts[entry.fileName] = Buffer.concat(chunks).toString();
          opened.readEntry();
        }),
      );
      opened.readEntry();
    });
  });
