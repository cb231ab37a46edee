import { TextSample } from './text-sample.js';

function sampleOf(file: Buffer, size = 65_536): Buffer {
  const sample = new TextSample();
  for (let at = 0; at < file.length; at += size) sample.write(file.subarray(at, at + size));
  sample.end();
  return sample.bytes;
}

/** Makes a text of all characters of two bytes in an encoding: the second byte is often that of an ASCII letter. */
function allPairs(encoding: string): Buffer {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const pairs: Buffer[] = [];
  for (let first = 0x81; first <= 0xfe; first += 1) {
    for (let second = 0x40; second <= 0xfe; second += 1) {
      const pair = Buffer.of(first, second);
      try {
        if (decoder.decode(pair).length === 1) pairs.push(pair, Buffer.from(pairs.length % 13 === 0 ? ', ' : ''));
      } catch {
        // It is no character.
      }
    }
  }
  return Buffer.concat(pairs);
}

test.each(['gb18030', 'big5', 'shift_jis', 'euc-kr'])('a sample of a text cuts no character of %s', encoding => {
  const file = allPairs(encoding);
  for (const size of [1, 7, 4_096, 65_536]) {
    const bytes = sampleOf(file, size);
    expect(bytes.length).toBeGreaterThan(1_000);
    expect(() => new TextDecoder(encoding, { fatal: true }).decode(bytes)).not.toThrow();
  }
});

test('a sample of a text has every non-ASCII byte of the text, even of its last word', () => {
  const text = Buffer.from(`${'Österreich, München\n'.repeat(50_000)}né`, 'latin1');
  expect([...new Set(sampleOf(text))].filter(byte => byte >= 0x80)).toEqual([0xd6, 0xfc, 0xe9]);
  expect(sampleOf(text).length).toBeLessThan(1_000);
});

test('a sample of a text has at most 16 KiB, whatever the text', () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 2_000_000 }, (_, at) => (at * 2_654_435_761) >>> 13));
  expect(sampleOf(bytes).length).toBeLessThanOrEqual(16 * 1024);
  expect(sampleOf(Buffer.alloc(2_000_000, 0xe9))).toHaveLength(0);
});
