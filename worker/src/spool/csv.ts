import type { Echo, EchoType } from '@trawl/contracts';
import { csvParseRows } from 'd3-dsv';

const QUOTE = 0x22;
const LINE_END = 0x0a;

/**
 * Returns an echo as a row of CSV. Does not use csv-stringify, because this function is called more often than any
 * other and only `msg` can need quotes.
 */
export const csvRow = ({ seq, time, type, msg }: Echo): string =>
  `${seq},${time},${type},"${msg.includes('"') ? msg.replaceAll('"', '""') : msg}"\n`;

export function csvEchoes(csv: Buffer): Echo[] {
  return csvParseRows(csv.toString(), ([seq = '', time = '', type, msg = '']) => ({
    type: type as EchoType,
    msg,
    time,
    seq: Number(seq),
  }));
}

/** Yields the offset of the end of each complete row. An incomplete last row is ignored. */
export function* rowEnds(csv: Buffer): Generator<number> {
  let quoted = false;
  for (let at = 0; at < csv.length; at += 1) {
    if (csv[at] === QUOTE) quoted = !quoted;
    else if (csv[at] === LINE_END && !quoted) yield at + 1;
  }
}
