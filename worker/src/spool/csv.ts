import type { Echo, EchoType } from '@trawl/contracts';
import { csvParseRows } from 'd3-dsv';
import type { CheckedEcho } from '../protocol/echo-items.js';

const QUOTE = 0x22;
const LINE_END = 0x0a;

/**
 * Returns echoes as rows of CSV. Does not use csv-stringify, because this function is called more often than any other and
 * only `msg` can need quotes.
 *
 * @param fromSeq number of the first of these echoes
 */
export function csvRows(fromSeq: number, echoes: CheckedEcho[]): Buffer {
  let rows = '';
  let seq = fromSeq;
  // Most echoes have the type and the time of the one before.
  let [lastType, lastTime, beforeMsg] = ['', '', ''];
  for (const [type, msg, time] of echoes) {
    if (type !== lastType || time !== lastTime) beforeMsg = `,${time},${type},"`;
    [lastType, lastTime] = [type, time];
    const text = msg.includes('"') ? msg.replaceAll('"', '""') : msg;
    rows += `${seq}${beforeMsg}${text}"\n`;
    seq += 1;
  }
  // Not from Node's pool: a small buffer in it would keep 8 KB of others for as long as its run lives.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(rows));
  bytes.write(rows);
  return bytes;
}

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
