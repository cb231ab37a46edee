import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { jsonLine, parseJsonLine } from '../protocol/json-lines.js';
import type { Result } from './result.js';

type RunJournalLine = { id: string } & (
  | { accepted: true }
  | { result: Result }
  | { finished: true }
  | { forgotten: true }
);

/**
 * The state of a run according to the journal. `result` is null until the run is over. `finished` is true when the
 * platform has the result.
 */
export interface JournaledRun {
  result: Result | null;
  finished: boolean;
}

/** If the journal has more bytes than this, it is written again without the lines of forgotten runs. */
const REWRITE_BYTES = 8 * 1024 * 1024;
/**
 * When the last run is forgotten, the file is emptied only if it has more bytes than this. For a smaller file, this
 * would cost more than it saves.
 */
const EMPTY_BYTES = 64 * 1024;

/**
 * Records which runs this worker has accepted and how they ended. All runs share one file, so that a run without echoes
 * needs no file of its own. Writes are synchronous, so that a line is written before the worker tells the platform.
 * See docs/decisions/0046-messages-can-be-lost-and-repeated.md.
 */
export class RunJournal {
  /** The runs that an earlier worker left in the file. */
  readonly left: ReadonlyMap<string, JournaledRun>;
  readonly #file: string;
  #fd: number;
  #bytes = 0;
  /** The lines of each run that is not forgotten. */
  readonly #lines = new Map<string, string[]>();
  /** Whether the last line of the file may be incomplete. */
  #endsIncomplete = false;

  constructor(file: string) {
    this.#file = file;
    this.#fd = openSync(file, 'a+', 0o600);
    const text = readFileSync(file, 'utf8');
    this.left = this.#restore(text);
    this.#bytes = Buffer.byteLength(text);
    this.#endsIncomplete = text !== '' && !text.endsWith('\n');
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
      this.#lines.delete(id);
      throw error;
    }
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
    if (!this.#lines.delete(id)) return;
    if (this.#lines.size === 0 && this.#bytes > EMPTY_BYTES) this.#empty();
    else this.#append(jsonLine({ id, forgotten: true }));
    if (this.#bytes > REWRITE_BYTES) this.#rewrite();
  }

  close(): void {
    closeSync(this.#fd);
  }

  #note(line: RunJournalLine): void {
    const text = jsonLine(line);
    const lines = this.#lines.get(line.id);
    if (lines) lines.push(text);
    else this.#lines.set(line.id, [text]);
    this.#append(text);
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

  #restore(text: string): Map<string, JournaledRun> {
    const left = new Map<string, JournaledRun>();
    for (const line of text.split('\n')) {
      const entry = parseJsonLine<RunJournalLine>(line);
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
