import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { LineReader } from './line-reader.js';

const LINES = 100_000;

test('lines of a process that floods come in order and whole, however the reader is held up', async () => {
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
    // As a run's echoes are read: now and then something else has its turn first.
    pace: () => (expected % 3 === 0 ? Promise.resolve() : undefined),
  });
  await reader.ended;
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(expected).toBe(LINES + 1);
});

test('a pipe that breaks ends the reading, with the line that was begun', async () => {
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
])('a line that is too long is marked as cut, and not those beside it: %s', async (_how, pieces) => {
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
