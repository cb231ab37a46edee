import type { Echo } from '@trawl/contracts';

/** Maximum number of live echoes that the panel keeps. The user finds older ones in the saved echoes. */
export const MAX_LINES = 10_000;

/** Echoes in order of `seq`, without duplicates. */
export type EchoBuffer = readonly Echo[];

/** A line shows an echo or a gap. A gap means that the echoes `from_seq` to `to_seq` are not in the buffer. */
export type ConsoleLine = { kind: 'echo'; echo: Echo } | { kind: 'gap'; from_seq: number; to_seq: number };

/** Merges echoes into the buffer by `seq` and keeps the newest `maxLines`. */
export function addEchoes(buffer: EchoBuffer, items: readonly Echo[], maxLines = MAX_LINES): EchoBuffer {
  if (items.length === 0) return buffer;
  const lastSeq = buffer.at(-1)?.seq ?? 0;
  const isAppend = items.every((echo, index) => echo.seq > (index === 0 ? lastSeq : (items[index - 1]?.seq ?? 0)));
  if (isAppend) return [...buffer, ...items].slice(-maxLines);
  const bySeq = new Map(buffer.map(echo => [echo.seq, echo]));
  for (const echo of items) bySeq.set(echo.seq, echo);
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq).slice(-maxLines);
}

/** Returns the lines of the console: every echo, and a gap wherever numbers are missing. */
export function consoleLines(buffer: EchoBuffer): ConsoleLine[] {
  const lines: ConsoleLine[] = [];
  let expectedSeq = 1;
  for (const echo of buffer) {
    if (echo.seq > expectedSeq) lines.push({ kind: 'gap', from_seq: expectedSeq, to_seq: echo.seq - 1 });
    lines.push({ kind: 'echo', echo });
    expectedSeq = echo.seq + 1;
  }
  return lines;
}

/** Returns whether the buffer lacks echoes that the run sent before the newest one that it has. */
export const hasGaps = (buffer: EchoBuffer): boolean => (buffer.at(-1)?.seq ?? 0) > buffer.length;
