import { PipeLines, pipeLine } from './pipe-lines.js';

const data = Buffer.from([10, 0, 255, 10, 123]);
const written = Buffer.concat([
  pipeLine({ t: 'first' }),
  pipeLine({ t: 'ä' }, data),
  pipeLine({ t: 'with two' }, Buffer.alloc(100, '\n')),
  pipeLine({ t: 'last' }),
]);

test.each([1, 2, 7, 30, 1_000])('PipeLines reads lines and their binary data from pieces of %i bytes', pieceBytes => {
  const seen: [object, Buffer | null][] = [];
  const lines = new PipeLines((line, data) => seen.push([JSON.parse(line), data]));
  for (let at = 0; at < written.length; at += pieceBytes) lines.push(written.subarray(at, at + pieceBytes));
  expect(seen).toEqual([
    [{ t: 'first' }, null],
    [{ bytes: 5, t: 'ä' }, data],
    [{ bytes: 100, t: 'with two' }, Buffer.alloc(100, '\n')],
    [{ t: 'last' }, null],
  ]);
});

test('PipeLines expects binary data only if the line begins with its number of bytes', () => {
  const seen: (Buffer | null)[] = [];
  const lines = new PipeLines((_line, data) => seen.push(data));
  lines.push(Buffer.from('{"text":"{\\"bytes\\":3,"}\n {"bytes":3,"t":1}\n{"t":1,"bytes":3}\n'));
  expect(seen).toEqual([null, null, null]);
});
