import { type Encoding, EncodingDetector, toUtf8 } from './encodings.js';

const TEXT = 'name;price\nŽižek – “naïve” 🎣;1 €\n';

const bytesOf: Record<Encoding, (text: string) => Buffer> = {
  'utf-8': text => Buffer.from(text),
  'utf-16le': text => Buffer.from(text, 'utf16le'),
  'utf-16be': text => Buffer.from(text, 'utf16le').swap16(),
  'windows-1252': text =>
    Buffer.from(
      [...text].map(character => ({ '€': 0x80, Ž: 0x8e, ž: 0x9e, '–': 0x96 })[character] ?? character.charCodeAt(0)),
    ),
};

/** Splits a file into chunks of one byte, so that each character is cut. */
async function* chunks(file: Buffer, size = 1): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
}

async function read(file: Buffer, encoding: Encoding, size?: number): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of toUtf8(chunks(file, size), encoding)) parts.push(part);
  return Buffer.concat(parts).toString();
}

function detect(file: Buffer): Encoding {
  const detector = new EncodingDetector();
  for (const byte of file) detector.write(Buffer.from([byte]));
  return detector.end();
}

test.each(['utf-8', 'utf-16le', 'utf-16be'] as const)(
  'detects and reads %s, with and without a byte order mark',
  async encoding => {
    for (const text of [TEXT, `\ufeff${TEXT}`]) {
      const file = bytesOf[encoding](text);
      expect(detect(file)).toBe(encoding);
      expect(await read(file, encoding)).toBe(TEXT);
      expect(await read(file, encoding, 7)).toBe(TEXT);
    }
  },
);

test('takes bytes that are no UTF-8 for windows-1252', async () => {
  const file = bytesOf['windows-1252']('Žižek – 1 € für é');
  expect(detect(file)).toBe('windows-1252');
  expect(await read(file, 'windows-1252')).toBe('Žižek – 1 € für é');
});

test('reads every byte of windows-1252 as a character of its own', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(new Set(await read(all, 'windows-1252')).size).toBe(256);
});

test('sees a character that is cut off at the end', () => {
  expect(detect(Buffer.from('abc🎣').subarray(0, -1))).toBe('windows-1252');
});

test.each([
  ['utf-8', Buffer.from([0x61, 0xff, 0x62])],
  ['utf-8', Buffer.from('🎣').subarray(0, 3)],
  ['utf-16le', Buffer.from([0x00, 0xd8, 0x61, 0x00])],
  ['utf-16be', Buffer.from([0x00])],
] as const)('refuses bytes that are not %s and says where', async (encoding, file) => {
  await expect(read(file, encoding)).rejects.toThrow(/are not utf.*byte \d/);
});

test('keeps NUL characters and marks in the middle', async () => {
  expect(await read(Buffer.from('a\0\ufeffb'), 'utf-8')).toBe('a\0\ufeffb');
});
