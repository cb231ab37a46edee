import type { Echo } from '@trawl/contracts';
import { addEchoes, consoleLines, type EchoBuffer } from './echo-buffer.js';

const echo = (seq: number): Echo => ({ type: 'log', msg: `line ${seq}`, time: '2026-01-01T00:00:00.000Z', seq });
const seqs = (buffer: EchoBuffer) => buffer.map(({ seq }) => seq);
const shown = (buffer: EchoBuffer) =>
  consoleLines(buffer).map(line => (line.kind === 'echo' ? line.echo.seq : `${line.from_seq}–${line.to_seq}`));

describe('the buffer of live echoes', () => {
  it('sorts echoes by seq without duplicates, in whatever order they arrive', () => {
    const late = addEchoes(addEchoes([], [echo(4), echo(5)]), [echo(2), echo(1), echo(4), echo(3)]);
    expect(seqs(late)).toEqual([1, 2, 3, 4, 5]);
  });

  it('marks gaps of missing echoes, also at the beginning', () => {
    expect(shown([echo(3), echo(4), echo(9)])).toEqual(['1–2', 3, 4, '5–8', 9]);
  });

  it('marks a gap of a single echo', () => {
    expect(shown([echo(1), echo(3), echo(5)])).toEqual([1, '2–2', 3, '4–4', 5]);
    expect(shown([echo(2)])).toEqual(['1–1', 2]);
  });

  it('closes a gap when the missing echoes arrive', () => {
    const gapped = addEchoes([], [echo(1), echo(4)]);
    expect(shown(gapped)).toEqual([1, '2–3', 4]);
    expect(shown(addEchoes(gapped, [echo(2), echo(3)]))).toEqual([1, 2, 3, 4]);
  });

  it('keeps only the newest echoes and marks the others as a gap', () => {
    const many = addEchoes([], [echo(1), echo(2), echo(3), echo(4)], 2);
    expect(shown(many)).toEqual(['1–2', 3, 4]);
    expect(seqs(addEchoes(many, [echo(5)], 2))).toEqual([4, 5]);
  });

  it('stays the same object if no echoes are added', () => {
    const buffer = [echo(1)];
    expect(addEchoes(buffer, [])).toBe(buffer);
  });
});
