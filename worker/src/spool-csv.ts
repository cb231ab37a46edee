import type { Echo } from '@trawl/contracts';
import { ECHO_CSV_COLUMNS, type EchoType } from '@trawl/contracts';
import { parse } from 'csv-parse/sync';

const QUOTE = 0x22;
const LINE_END = 0x0a;

// Written by hand because it is the hottest line of the worker: only msg can hold what needs quoting.
export const csvRow = ({ seq, time, type, msg }: Echo): string =>
  `${seq},${time},${type},"${msg.includes('"') ? msg.replaceAll('"', '""') : msg}"\n`;

export function csvEchoes(csv: Buffer): Echo[] {
  const rows: Record<(typeof ECHO_CSV_COLUMNS)[number], string>[] = parse(csv, { columns: [...ECHO_CSV_COLUMNS] });
  return rows.map(({ seq, time, type, msg }) => ({ type: type as EchoType, msg, time, seq: Number(seq) }));
}

/** Offset after each complete row. What follows the last one is a row that was cut while it was written. */
export function* rowEnds(csv: Buffer): Generator<number> {
  let quoted = false;
  for (let at = 0; at < csv.length; at += 1) {
    if (csv[at] === QUOTE) quoted = !quoted;
    else if (csv[at] === LINE_END && !quoted) yield at + 1;
  }
}
