import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { LineReader } from './line-reader.js';

const LINES = 100_000;

test('the line reader gives 100,000 lines of a pipe complete and in order, although it pauses again and again', async () => {
  const writes = `
    let batch = '';
    for (let n = 1; n <= ${LINES}; n += 1) {
      batch += n + '\\n';
      if (n % 700 === 0) { require('fs').writeSync(1, batch); batch = ''; }
    }
    require('fs').writeSync(1, batch);`;
  const child = spawn(process.execPath, ['-e', writes], { stdio: ['ignore', 'pipe', 'inherit'] });
  let expected = 1;
  const wrong: string[] = [];
  const reader = new LineReader(child.stdout, {
    maxBytes: 1_000,
    line: text => {
      if (text !== String(expected)) wrong.push(text);
      expected += 1;
    },
    // The reader must wait at every third line, as it sometimes does for a run's echoes.
    pace: () => (expected % 3 === 0 ? Promise.resolve() : undefined),
  });
  await reader.ended;
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(expected).toBe(LINES + 1);
});

test('the line reader ends when the pipe breaks, and gives the incomplete last line', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("begun"); setInterval(() => {}, 1000)']);
  const lines: string[] = [];
  const reader = new LineReader(child.stdout, { maxBytes: 1_000, line: text => lines.push(text) });
  child.stdout.once('data', () => child.kill('SIGKILL'));
  await reader.ended;
  expect(lines).toEqual(['begun']);
});

test.each([
  ['in one piece', ['fits\nis longer\nshort\nis lä\n']],
  ['piece by piece', ['fi', 'ts\n', 'is l', 'onge', 'r\nsh', 'ort', '\nis l', 'ä', '\n']],
])('the line reader marks only a line that is too long as cut: %s', async (_how, pieces) => {
  const lines: [string, boolean][] = [];
  const stream = Readable.from(pieces.map(piece => Buffer.from(piece)));
  await new LineReader(stream, { maxBytes: 5, line: (text, cut) => lines.push([text, cut]) }).ended;
  expect(lines).toEqual([
    ['fits', false],
    ['is lo', true],
    ['short', false],
    ['is l', true],
  ]);
});

test.each([1, 3, 40, 1_000])('the line reader reads data after a line, in pieces of %i bytes', async pieceBytes => {
  const seen: [string, boolean, string | null][] = [];
  const written = Buffer.from('{"bytes":4,"a":1}\n\n{}\n{"bytes":3,"b":1}\nxyznext\n{"bytes":9,"c":1}\nlong\nend');
  const pieces: Buffer[] = [];
  for (let at = 0; at < written.length; at += pieceBytes) pieces.push(written.subarray(at, at + pieceBytes));
  const reader = new LineReader(Readable.from(pieces), {
    maxBytes: 100,
    maxDataBytes: 8,
    line: (text, cut, data) => seen.push([text, cut, data && String(data)]),
  });
  await reader.ended;
  expect(seen).toEqual([
    ['{"bytes":4,"a":1}', false, '\n{}\n'],
    ['{"bytes":3,"b":1}', false, 'xyz'],
    ['next', false, null],
    // More data than is allowed counts as lines.
    ['{"bytes":9,"c":1}', false, null],
    ['long', false, null],
    ['end', false, null],
  ]);
});

test('the line reader drops binary data that is incomplete when the pipe ends', async () => {
  const lines: string[] = [];
  const stream = Readable.from([Buffer.from('first\n{"bytes":5,"a":1}\nfour')]);
  await new LineReader(stream, { maxBytes: 100, maxDataBytes: 8, line: text => lines.push(text) }).ended;
  expect(lines).toEqual(['first']);
});
