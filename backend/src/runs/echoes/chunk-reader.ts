/**
 * Reads chunks of echoes. Runs in the threads of `ChunkReaders`, so it may import only what they can load: no services.
 */
import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { ECHO_CSV_COLUMNS, type Echo, type EchoType, LIMITS } from '@trawl/contracts';
import { csvFormatRows, csvParseRows } from 'd3-dsv';
import { withoutFormula } from '../../data/storage/values/cells.js';
import { timeOfId } from '../../platform/common/sql/first-id-at.js';

// On Linux, each thread has a priority of its own. Without this, the main thread would wait for these threads.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

/** A chunk may be larger than `LIMITS.echoChunkBytes`, because it ends after the echo that exceeds this size. */
const MAX_CHUNK_BYTES = LIMITS.echoChunkBytes * 3;

/** A saved chunk: its bytes, the number of its last echo, and its run. */
export interface StoredChunk {
  gz: Uint8Array;
  toSeq: number;
  executionId: string;
}

export interface EchoFilter {
  type?: EchoType | undefined;
  contains?: string | undefined;
}

export interface ChunkSearch extends EchoFilter, StoredChunk {
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
export function find({ afterSeq = 0, beforeSeq, limit, fromEnd, ...chunk }: ChunkSearch): ChunkMatches {
  const matches = filterOf(chunk);
  const inRange = candidates(chunk).filter(
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
export const count = (chunk: EchoFilter & StoredChunk): number => candidates(chunk).filter(filterOf(chunk)).length;

/** Returns the echoes of a chunk as CSV for people. */
export const csv = (chunk: StoredChunk): string => toCsv(candidates(chunk));

/**
 * Returns the echoes of a chunk, or none if no text in it can match. Parsing takes five times as long as this check. If the
 * worker has sent what is no chunk, returns a warning in its place.
 */
function candidates({ contains = '', ...chunk }: EchoFilter & StoredChunk): Echo[] {
  const searched = contains.toLowerCase().replaceAll('"', '""');
  try {
    const text = textOf(chunk.gz);
    return text.toLowerCase().includes(searched) ? parse(text) : [];
  } catch {
    return [unreadable(chunk)];
  }
}

const unreadable = ({ toSeq, executionId }: StoredChunk): Echo => ({
  seq: toSeq,
  time: new Date(timeOfId(executionId)).toISOString(),
  type: 'warn',
  msg: `Trawl cannot show the echoes before this line: the worker has not sent them as gzipped CSV of at most ${MAX_CHUNK_BYTES} bytes with the columns ${ECHO_CSV_COLUMNS.join(', ')}. Its version may differ from that of the platform.`,
});

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
