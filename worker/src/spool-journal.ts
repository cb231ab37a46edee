import type { Finish } from '@trawl/contracts';

/** How a run ended: the frame that is sent, without the connection's epoch. */
export type Result = Omit<Finish, 'epoch'>;

/** A slice of the run's CSV: bytes `start`…`end`, echoes `from_seq`…`to_seq`. */
export interface ChunkPlace {
  n: number;
  from_seq: number;
  to_seq: number;
  start: number;
  end: number;
}

/** One line of a run's journal, which says what became of its echoes. */
export type JournalLine = { chunk: ChunkPlace } | { acknowledged: number };

export interface Journal {
  chunks: ChunkPlace[];
  acknowledged: Set<number>;
}

export const journalText = (line: JournalLine): string => `${JSON.stringify(line)}\n`;

/**
 * Reads a journal back, as far as it can be read: a line that was cut, by the worker's death or a full disk, and what follows
 * it count as never written. The rows that it was about are put into chunks anew.
 */
export function readJournal(text: string): Journal {
  const journal: Journal = { chunks: [], acknowledged: new Set() };
  for (const line of text.split('\n').slice(0, -1)) {
    const entry = parsed(line);
    if (!entry) break;
    if ('chunk' in entry) journal.chunks.push(entry.chunk);
    else journal.acknowledged.add(entry.acknowledged);
  }
  return journal;
}

function parsed(line: string): JournalLine | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
