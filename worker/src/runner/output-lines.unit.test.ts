import { LIMITS } from '@trawl/contracts';
import { Redaction } from '../redaction.js';
import { OutputLines } from './output-lines.js';

function linesOf(written: string[]): string[] {
  const lines: string[] = [];
  const output = new OutputLines(line => lines.push(line));
  for (const text of written) output.stream.write(text);
  output.finish();
  return lines;
}

test('lines are handed on in order, and a last one that was not ended', () => {
  expect(linesOf(['one\ntw', 'o\r\n\nth', 'ree'])).toEqual(['one', 'two', '', 'three']);
});

test.each([0, 1])('a line of the longest echo and %d characters more is one line, cut where it is longer', more => {
  const text = 'x'.repeat(LIMITS.echoMsgChars + more);
  const cut = expect.stringMatching(/^x+… \[cut: 100001 characters in all\]$/);
  const line = more ? cut : text;
  expect(linesOf([`${text}\n`, text.slice(0, 70_000), text.slice(70_000), '\nnext'])).toEqual([line, line, 'next']);
});

test('a value of a secret does not stand in two lines', () => {
  const token = 'ghp_abcdefghij0123456789';
  const finds = new Redaction(JSON.stringify({ token }));
  for (const before of [10, 45, 60]) {
    const lines = linesOf(['x'.repeat(LIMITS.echoMsgChars - before), token, 'x'.repeat(250_000)]);
    expect(lines).toHaveLength(1);
    expect(finds.text(lines[0] as string)).toMatch(/^x+(\[secret\])?x*… \[cut: \d+ characters in all\]$/);
  }
});
