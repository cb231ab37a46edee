/**
 * Reads chunks of echoes. Runs in the threads of `ChunkReaders`, so it may import only what they can load: no services.
 */
import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { ECHO_CSV_COLUMNS, type Echo, type EchoType, LIMITS } from '@trawl/contracts';
import { csvFormatRows, csvParseRows } from 'd3-dsv';
import { withoutFormula } from '../../data/storage/values/cells.js';

// On Linux, each thread has a priority of its own. Without this, the main thread would wait for these threads.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

/** A chunk may be larger than `LIMITS.echoChunkBytes`, because it ends after the echo that exceeds this size. */
export const MAX_CHUNK_BYTES = LIMITS.echoChunkBytes * 3;

export interface EchoFilter {
  type?: EchoType | undefined;
  contains?: string | undefined;
}

export interface ChunkSearch extends EchoFilter {
  gz: Uint8Array;
  afterSeq?: number;
  beforeSeq?: number;
  limit: number;
  /** Whether to return the last matching echoes instead of the first ones. */
  fromEnd?: boolean;
}

export interface ChunkMatches {
  /** In ascending order. */
  items: Echo[];
  /** Number of the last echo that was looked at, if there are further ones after `limit` matches; null if there are none. */
  stoppedAt: number | null;
}

/** Finds matching echoes of a chunk. */
export function find({ gz, afterSeq = 0, beforeSeq, limit, fromEnd, ...filter }: ChunkSearch): ChunkMatches {
  const matches = filterOf(filter);
  const inRange = candidates(gz, filter).filter(
    ({ seq }) => seq > afterSeq && seq < (beforeSeq ?? Number.POSITIVE_INFINITY),
  );
  const items: Echo[] = [];
  let seen = 0;
  for (const echo of fromEnd ? inRange.reverse() : inRange) {
    if (items.length >= limit) return { items: fromEnd ? items.reverse() : items, stoppedAt: seen };
    seen = echo.seq;
    if (matches(echo)) items.push(echo);
  }
  return { items: fromEnd ? items.reverse() : items, stoppedAt: null };
}

/** Counts the matching echoes of a chunk. */
export const count = ({ gz, ...filter }: EchoFilter & { gz: Uint8Array }): number =>
  candidates(gz, filter).filter(filterOf(filter)).length;

/** Returns the echoes of a chunk as CSV for people. */
export const csv = ({ gz }: { gz: Uint8Array }): string => toCsv(echoesOf(gz));

/** @throws {Error} if the chunk cannot be read. */
export function check({ gz }: { gz: Uint8Array }): void {
  echoesOf(gz);
}

/** Returns the echoes of a chunk, or none if no text in it can match. Parsing takes five times as long as this check. */
function candidates(gz: Uint8Array, { contains = '' }: EchoFilter): Echo[] {
  const text = textOf(gz);
  const searched = contains.toLowerCase().replaceAll('"', '""');
  return text.toLowerCase().includes(searched) ? parse(text) : [];
}

const echoesOf = (gz: Uint8Array): Echo[] => parse(textOf(gz));

/** Not the asynchronous function of zlib, which would use a thread with the priority of the main thread. */
const textOf = (gz: Uint8Array): string => gunzipSync(gz, { maxOutputLength: MAX_CHUNK_BYTES }).toString();

function parse(text: string): Echo[] {
  // Not csv-parse, which takes six times as long.
  return csvParseRows(text, row => {
    const [seq = '', time = '', type, msg = ''] = row;
    if (row.length !== ECHO_CSV_COLUMNS.length) throw new Error(`A row has ${row.length} columns.`);
    return { seq: Number(seq), time, type: type as EchoType, msg };
  });
}

export function filterOf({ type, contains }: EchoFilter): (echo: Echo) => boolean {
  const text = contains?.toLowerCase();
  return echo => (!type || echo.type === type) && (!text || echo.msg.toLowerCase().includes(text));
}

/** Returns echoes as CSV. Texts that a spreadsheet would run as a formula begin with an apostrophe. */
export const toCsv = (echoes: Echo[]): string =>
  echoes.length === 0
    ? ''
    : `${csvFormatRows(echoes.map(echo => rowOf({ ...echo, msg: withoutFormula(echo.msg) })))}\n`;

export const rowOf = ({ seq, time, type, msg }: Echo): string[] => [String(seq), time, type, msg];
