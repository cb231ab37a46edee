import type { Echo } from '@trawl/contracts';

/** Lines kept on the screen; older ones are in the saved echoes. */
export const MAX_LINES = 10_000;

/** Echoes in the order of their `seq`, each once. */
export type EchoBuffer = readonly Echo[];

/** `kept`: an echo. `gap`: the live view did not get `from_seq`…`to_seq`. */
export type ConsoleLine = { kind: 'echo'; echo: Echo } | { kind: 'gap'; from_seq: number; to_seq: number };

/** The buffer with more echoes in it: in order, none twice, the newest `maxLines`. */
export function addEchoes(buffer: EchoBuffer, items: readonly Echo[], maxLines = MAX_LINES): EchoBuffer {
  if (items.length === 0) return buffer;
  const lastSeq = buffer.at(-1)?.seq ?? 0;
  const isAppend = items.every((echo, index) => echo.seq > (index === 0 ? lastSeq : (items[index - 1]?.seq ?? 0)));
  if (isAppend) return [...buffer, ...items].slice(-maxLines);
  const bySeq = new Map(buffer.map(echo => [echo.seq, echo]));
  for (const echo of items) bySeq.set(echo.seq, echo);
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq).slice(-maxLines);
}

/** What the console shows: every echo, and a mark wherever numbers are missing, at the beginning too. */
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
