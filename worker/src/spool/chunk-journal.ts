import { parseJsonLine } from '../protocol/json-lines.js';

/**
 * A part of the run's CSV file: the bytes from `start` to `end`, which contain the echoes from `from_seq` to `to_seq`.
 */
export interface ChunkRange {
  n: number;
  from_seq: number;
  to_seq: number;
  start: number;
  end: number;
}

/**
 * A line of the journal in a run's folder: a new chunk, or the number of a chunk that the platform has acknowledged.
 */
export type ChunkJournalLine = { chunk: ChunkRange } | { acknowledged: number };

export interface ChunkJournal {
  chunks: ChunkRange[];
  acknowledged: Set<number>;
}

/**
 * Reads a journal. Stops at a line that is incomplete because the worker was killed or the disk was full. The rows of
 * all chunks after that line must be divided into chunks again.
 */
export function readChunkJournal(text: string): ChunkJournal {
  const journal: ChunkJournal = { chunks: [], acknowledged: new Set() };
  for (const line of text.split('\n').slice(0, -1)) {
    const entry = parseJsonLine<ChunkJournalLine>(line);
    if (!entry) break;
    if ('chunk' in entry) journal.chunks.push(entry.chunk);
    else journal.acknowledged.add(entry.acknowledged);
  }
  return journal;
}
