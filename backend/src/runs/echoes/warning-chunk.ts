import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Echo } from '@trawl/contracts';
import { csvFormatRows } from 'd3-dsv';
import { rowOf } from './chunk-reader.js';

const zip = promisify(gzip);

/** Returns a chunk with a single warning. It takes the place of echoes that are not saved or are lost. */
export function warningChunk(seq: number, time: Date, msg: string): Promise<Buffer> {
  const warning: Echo = { seq, time: time.toISOString(), type: 'warn', msg };
  return zip(csvFormatRows([rowOf(warning)]));
}
