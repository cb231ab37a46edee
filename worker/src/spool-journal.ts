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
export type JournalLine = { chunk: ChunkPlace } | { acknowledged: number } | { finished: true };

export interface Journal {
  chunks: ChunkPlace[];
  acknowledged: Set<number>;
  finished: boolean;
}

export const journalText = (line: JournalLine): string => `${JSON.stringify(line)}\n`;

/**
 * Reads a journal back, as far as it can be read: a line that was cut, by the worker's death or a full disk, and what follows
 * it count as never written. The rows that it was about are put into chunks anew.
 */
export function readJournal(text: string): Journal {
  const journal: Journal = { chunks: [], acknowledged: new Set(), finished: false };
  for (const line of text.split('\n').slice(0, -1)) {
    const entry = parsed(line);
    if (!entry) break;
    if ('chunk' in entry) journal.chunks.push(entry.chunk);
    else if ('acknowledged' in entry) journal.acknowledged.add(entry.acknowledged);
    else journal.finished = true;
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
