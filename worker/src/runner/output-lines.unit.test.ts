import { LIMITS } from '@trawl/contracts';
import { Redaction } from '../redaction/redaction.js';
import { OutputLines } from './output-lines.js';

function linesOf(written: string[]): string[] {
  const lines: string[] = [];
  const output = new OutputLines(line => lines.push(line));
  for (const text of written) output.stream.write(text);
  output.finish();
  return lines;
}

test('printed lines become echoes in order, including a last line without a line break', () => {
  expect(linesOf(['one\ntw', 'o\r\n\nth', 'ree'])).toEqual(['one', 'two', '', 'three']);
});

test.each([0, 1])('a printed line of the maximum length plus %d characters is one echo, cut if too long', more => {
  const text = 'x'.repeat(LIMITS.echoMsgChars + more);
  const cut = expect.stringMatching(/^x+… \[cut: 100001 characters in all\]$/);
  const line = more ? cut : text;
  expect(linesOf([`${text}\n`, text.slice(0, 70_000), text.slice(70_000), '\nnext'])).toEqual([line, line, 'next']);
});

test('a secret value in a long printed line is never split across two echoes', () => {
  const token = 'ghp_abcdefghij0123456789';
  const finds = new Redaction(JSON.stringify({ token }));
  for (const before of [10, 45, 60]) {
    const lines = linesOf(['x'.repeat(LIMITS.echoMsgChars - before), token, 'x'.repeat(250_000)]);
    expect(lines).toHaveLength(1);
    expect(finds.text(lines[0] as string)).toMatch(/^x+(\[secret\])?x*… \[cut: \d+ characters in all\]$/);
  }
});
