import { ENCODINGS, type Encoding, EncodingDetector, toUtf8 } from './encodings.js';

const TEXT = 'name;price\nŽižek – “naïve” 🎣;1 €\n';

const bytesOf = {
  'utf-8': (text: string) => Buffer.from(text),
  'utf-16le': (text: string) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text: string) => Buffer.from(text, 'utf16le').swap16(),
  'windows-1252': (text: string) =>
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

function detect(file: Buffer, size = 1): Encoding {
  const detector = new EncodingDetector();
  for (let at = 0; at < file.length; at += size) detector.write(file.subarray(at, at + size));
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
  const file = bytesOf['windows-1252']('Straße – 1 € für Müllers Öl und é');
  expect(detect(file, 1_000)).toBe('windows-1252');
  expect(await read(file, 'windows-1252')).toBe('Straße – 1 € für Müllers Öl und é');
});

/** Encodes text by looking up its characters among all that one or two bytes can mean. */
function encoded(text: string, encoding: Encoding): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map<string, number[]>();
  const firsts = Array.from({ length: 256 }, (_, byte) => byte);
  for (const first of firsts) {
    const single = decoder.decode(Uint8Array.of(first));
    if (!single.includes('\ufffd')) bytes.set(single, [first]);
    else
      for (const second of firsts) {
        const pair = decoder.decode(Uint8Array.of(first, second));
        if (!pair.includes('\ufffd') && !bytes.has(pair)) bytes.set(pair, [first, second]);
      }
  }
  return Buffer.from([...text].flatMap(character => bytes.get(character) ?? [0x3f]));
}

test.each([
  ['windows-1250', 'ime\nČaša\n'],
  ['windows-1250', 'ime;grad\nČaša;Šibenik\nŽlica;Đakovo\n'],
  ['windows-1250', 'název,cena\nPříliš žluťoučký kůň,12\n'],
  ['windows-1250', 'nazwa,cena\nZażółć gęślą jaźń,1\nŁódź,2\n'],
  ['windows-1250', 'név,ár\nÁrvíztűrő tükörfúrógép,1\nŐszi,2\n'],
  ['windows-1251', 'имя;цена\nЧашка;12\nЛожка большая;3\n'],
  ['windows-1253', 'όνομα;τιμή\nΦλιτζάνι;12\n'],
  ['windows-1254', 'isim;fiyat\nçaydanlık şişesi;12\nİstanbul güzel ığdır;3\n'],
  ['windows-1255', 'שם,מחיר\nכוס תה,12\nכפית,3\n'],
  ['koi8-r', 'имя;цена\nЧашка чая;12\nЛожка большая;3\n'],
  ['shift_jis', '名前,価格\n茶碗,12\n箸,3\nりんごジュース,5\n'],
  ['euc-jp', '名前,価格\n茶碗,12\n箸,3\nりんごジュース,5\n'],
  ['gb18030', '名称,价格\n茶杯,12\n筷子,3\n苹果汁,5\n'],
  ['big5', '名稱,價格\n茶杯,12\n筷子,3\n蘋果汁,5\n'],
  ['euc-kr', '이름,가격\n찻잔,12\n젓가락,3\n'],
] as const)('detects and reads %s, also far behind the beginning: %j', async (encoding, text) => {
  for (const before of ['', 'a,1\n'.repeat(50_000)]) {
    const file = Buffer.concat([Buffer.from(before), encoded(text, encoding)]);
    expect(detect(file, 65_536)).toBe(encoding);
    expect(await read(file, encoding, 4_097)).toBe(before + text);
  }
});

test.each(ENCODINGS)('reads %s', async encoding => {
  expect(await read(Buffer.from(encoding.startsWith('utf-16') ? '' : 'a,1\n'), encoding)).toMatch(/^(a,1\n)?$/);
});

test('reads every byte of windows-1252 as a character of its own', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(new Set(await read(all, 'windows-1252')).size).toBe(256);
});

test('sees a character that is cut off at the end', () => {
  expect(detect(Buffer.from('abc🎣').subarray(0, -1))).not.toBe('utf-8');
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
