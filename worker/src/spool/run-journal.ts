import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { jsonLine, parseJsonLine } from '../protocol/json-lines.js';
import type { Result } from './result.js';

type RunJournalLine = { id: string } & (
  | { accepted: true }
  | { rows: string }
  | { inFolder: true }
  | { result: Result }
  | { finished: true }
  | { forgotten: true }
);

/**
 * The state of a run according to the journal. `rows` are the echoes of a run that has sent few, as CSV; empty if the run
 * has a folder. `result` is null until the run is over. `finished` is true when the platform has the result.
 */
export interface JournaledRun {
  rows: string;
  result: Result | null;
  finished: boolean;
}

/**
 * If the journal has more bytes than this, and more than twice as many as are needed, it is written again without the lines
 * of forgotten runs.
 */
const REWRITE_BYTES = 8 * 1024 * 1024;
/**
 * When the last run is forgotten, the file is emptied only if it has more bytes than this. For a smaller file, this
 * would cost more than it saves.
 */
const EMPTY_BYTES = 64 * 1024;

/**
 * Records which runs this worker has accepted, their echoes if they are few, and how they ended. All runs share one file, so
 * that most runs need no file of their own. Writes are synchronous, so that a line is written before the worker tells the platform.
 * See docs/decisions/0046-messages-can-be-lost-and-repeated.md.
 */
export class RunJournal {
  readonly #left: Map<string, JournaledRun>;
  readonly #file: string;
  #fd: number;
  #bytes = 0;
  /** The lines of each run that is not forgotten, and those with its echoes. */
  readonly #lines = new Map<string, { state: string[]; rows: string[] }>();
  /** Number of bytes of these lines. */
  #neededBytes = 0;
  /** Whether the last line of the file may be incomplete. */
  #endsIncomplete = false;

  constructor(file: string) {
    this.#file = file;
    this.#fd = openSync(file, 'a+', 0o600);
    const text = readFileSync(file, 'utf8');
    this.#left = this.#restore(text);
    this.#bytes = Buffer.byteLength(text);
    this.#endsIncomplete = text !== '' && !text.endsWith('\n');
  }

  /** The ids of the runs that an earlier worker left in the file. */
  get left(): string[] {
    return [...this.#left.keys()];
  }

  /** Returns the state of a run that an earlier worker left, and keeps it no longer. */
  takeLeft(id: string): JournaledRun {
    const run = this.#left.get(id) ?? { rows: '', result: null, finished: false };
    this.#left.delete(id);
    return run;
  }

  /**
   * Records that the worker has accepted a run.
   *
   * @throws Error when the write fails; the other methods do so too
   */
  accepted(id: string): void {
    try {
      this.#note({ id, accepted: true });
    } catch (error) {
      // Remove the line: the worker refuses the run, so a later rewrite of the file must not contain it.
      this.#delete(id);
      throw error;
    }
  }

  /** Adds echoes of a run, as rows of CSV. */
  rows(id: string, rows: string): void {
    this.#note({ id, rows });
  }

  /** Records that the echoes of a run are in its folder now, so that the journal no longer needs them. */
  inFolder(id: string): void {
    this.#note({ id, inFolder: true });
  }

  ended(result: Result): void {
    this.#note({ id: result.id, result });
  }

  /** Records that the platform has the result. */
  finished(id: string): void {
    this.#note({ id, finished: true });
  }

  /** Records that the platform has received the complete run, so that the journal no longer needs its lines. */
  forget(id: string): void {
    if (!this.#delete(id)) return;
    if (this.#lines.size === 0 && this.#bytes > EMPTY_BYTES) this.#empty();
    else this.#append(jsonLine({ id, forgotten: true }));
    if (this.#bytes > Math.max(REWRITE_BYTES, 2 * this.#neededBytes)) this.#rewrite();
  }

  close(): void {
    closeSync(this.#fd);
  }

  #note(line: RunJournalLine): void {
    const text = jsonLine(line);
    this.#keep(line, text);
    this.#append(text);
  }

  #keep(line: RunJournalLine, text: string): void {
    const lines = this.#lines.get(line.id) ?? { state: [], rows: [] };
    this.#lines.set(line.id, lines);
    if ('inFolder' in line) {
      this.#neededBytes -= bytesOf(lines.rows);
      lines.rows = [];
    }
    lines['rows' in line ? 'rows' : 'state'].push(text);
    this.#neededBytes += Buffer.byteLength(text);
  }

  #delete(id: string): boolean {
    const lines = this.#lines.get(id);
    if (!lines) return false;
    this.#neededBytes -= bytesOf([...lines.state, ...lines.rows]);
    return this.#lines.delete(id);
  }

  #append(text: string): void {
    const bytes = Buffer.from(this.#endsIncomplete ? `\n${text}` : text);
    this.#endsIncomplete = true;
    const written = writeSync(this.#fd, bytes);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    this.#endsIncomplete = false;
    this.#bytes += bytes.length;
  }

  #empty(): void {
    ftruncateSync(this.#fd);
    this.#bytes = 0;
  }

  /**
   * Writes the lines that are still needed to a new file and renames it, so that nothing is lost if the worker is
   * killed meanwhile.
   */
  #rewrite(): void {
    const lines = [...this.#lines.values()].flatMap(({ state, rows }) => [...state, ...rows]).join('');
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

  #restore(text: string): Map<string, JournaledRun> {
    const left = new Map<string, JournaledRun>();
    for (const line of text.split('\n')) {
      const entry = parseJsonLine<RunJournalLine>(line);
      if (!entry) continue;
      const { id } = entry;
      if ('forgotten' in entry) {
        left.delete(id);
        this.#delete(id);
        continue;
      }
      const run = left.get(id) ?? { rows: '', result: null, finished: false };
      if ('rows' in entry) run.rows += entry.rows;
      if ('inFolder' in entry) run.rows = '';
      if ('result' in entry) run.result = entry.result;
      if ('finished' in entry) run.finished = true;
      left.set(id, run);
      this.#keep(entry, `${line}\n`);
    }
    return left;
  }
}

const bytesOf = (lines: string[]): number => lines.reduce((bytes, line) => bytes + Buffer.byteLength(line), 0);
