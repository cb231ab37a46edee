import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import type { Result } from './spool-journal.js';

type JournalLine = { id: string } & (
  | { accepted: true }
  | { result: Result }
  | { finished: true }
  | { forgotten: true }
);

/** What is on disk of a run: `result` once it is over, `finished` when the platform has that. */
export interface JournaledRun {
  result: Result | null;
  finished: boolean;
}

/** Beyond it the lines of runs that are forgotten are taken out of the file. */
const LARGE_BYTES = 8 * 1024 * 1024;
/** So much is not worth the emptying of the file each time that the last run is forgotten. */
const SMALL_BYTES = 64 * 1024;

/**
 * Which runs this worker has accepted and how they ended, in one file for all of them, so that a run without echoes costs
 * no file of its own. Each line is written at once: what is told to the platform is on disk before.
 */
export class RunJournal {
  /** What an earlier worker left in the file. */
  readonly left: ReadonlyMap<string, JournaledRun>;
  readonly #file: string;
  #fd: number;
  #bytes = 0;
  /** The lines of runs that are not forgotten. */
  readonly #lines = new Map<string, string[]>();
  #isCut = false;

  constructor(file: string) {
    this.#file = file;
    this.#fd = openSync(file, 'a+', 0o600);
    const text = readFileSync(file, 'utf8');
    this.left = this.#takeUp(text);
    this.#bytes = Buffer.byteLength(text);
    // A line that was cut while it was written is not gone on with.
    this.#isCut = text !== '' && !text.endsWith('\n');
  }

  /** @throws Error when the disk refuses it, as the others do. */
  accepted(id: string): void {
    try {
      this.#note({ id, accepted: true });
    } catch (error) {
      // Nobody has it then, also when the file is written anew from what is known here.
      this.#lines.delete(id);
      throw error;
    }
  }

  ended(result: Result): void {
    this.#note({ id: result.id, result });
  }

  /** The platform has the result. */
  finished(id: string): void {
    this.#note({ id, finished: true });
  }

  /** The platform has all of the run. */
  forget(id: string): void {
    if (!this.#lines.delete(id)) return;
    if (this.#lines.size === 0 && this.#bytes > SMALL_BYTES) this.#empty();
    else this.#append(lineOf({ id, forgotten: true }));
    if (this.#bytes > LARGE_BYTES) this.#rewrite();
  }

  close(): void {
    closeSync(this.#fd);
  }

  #note(line: JournalLine): void {
    const text = lineOf(line);
    const lines = this.#lines.get(line.id);
    if (lines) lines.push(text);
    else this.#lines.set(line.id, [text]);
    this.#append(text);
  }

  #append(text: string): void {
    const bytes = Buffer.from(this.#isCut ? `\n${text}` : text);
    this.#isCut = true;
    const written = writeSync(this.#fd, bytes);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
    this.#isCut = false;
    this.#bytes += bytes.length;
  }

  #empty(): void {
    ftruncateSync(this.#fd);
    this.#bytes = 0;
  }

  /** Written beside and renamed, so that a worker that is killed meanwhile loses nothing. */
  #rewrite(): void {
    const lines = [...this.#lines.values()].flat().join('');
    const fd = openSync(`${this.#file}.new`, 'w', 0o600);
    try {
      writeFileSync(fd, lines);
    } finally {
      closeSync(fd);
    }
    renameSync(`${this.#file}.new`, this.#file);
    closeSync(this.#fd);
    this.#fd = openSync(this.#file, 'a', 0o600);
    this.#bytes = Buffer.byteLength(lines);
  }

  #takeUp(text: string): Map<string, JournaledRun> {
    const left = new Map<string, JournaledRun>();
    for (const line of text.split('\n')) {
      const entry = parsed(line);
      if (!entry) continue;
      const { id } = entry;
      if ('forgotten' in entry) {
        left.delete(id);
        this.#lines.delete(id);
        continue;
      }
      const run = left.get(id) ?? { result: null, finished: false };
      if ('result' in entry) run.result = entry.result;
      if ('finished' in entry) run.finished = true;
      left.set(id, run);
      this.#lines.set(id, [...(this.#lines.get(id) ?? []), `${line}\n`]);
    }
    return left;
  }
}

const lineOf = (line: JournalLine): string => `${JSON.stringify(line)}\n`;

/** Null for a line that was cut while it was written. */
function parsed(line: string): JournalLine | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
