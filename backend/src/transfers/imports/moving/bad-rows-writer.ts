import { ApiError } from '../../../platform/common/errors.js';
import type { TakenJob } from '../../../platform/jobs/job-kinds.service.js';
import { BadRowLines } from '../bad-rows.js';
import type { ImportParams } from '../import-params.js';
import type { ImportsRepository } from '../imports.repository.js';
import type { Row } from '../reading/rows.js';
import { held } from './aborts.js';
import type { Conflict } from './conflicts.js';

/** An import that fails anyway stops after this many bad rows. */
const MAX_BAD_ROWS = 1_000;
const FLUSH_CHARS = 256 * 1024;

/** Collects the bad rows of an import, and adds them to its file. */
export class BadRowsWriter {
  count = 0;
  #first = '';
  #lines: string;
  #unsaved = 0;
  readonly #format: BadRowLines;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly job: TakenJob<ImportParams>,
    private readonly signal: AbortSignal,
  ) {
    this.#format = BadRowLines.of(job.params);
    this.#lines = this.#format.header();
  }

  /** @throws {ApiError} `validation_failed` if the import must fail and has enough bad rows. */
  async add(number: number, reason: string, row: Row): Promise<void> {
    await this.#add(number, reason, this.#format.line(number, reason, row));
  }

  /** Does the same for a row of which only the document is left. */
  async addConflict({ number, reason, document }: Conflict): Promise<void> {
    await this.#add(number, reason, this.#format.lineOf(number, reason, document));
  }

  async flush(): Promise<void> {
    if (this.#unsaved === 0) return;
    const [lines, count] = [this.#lines, this.#unsaved];
    [this.#lines, this.#unsaved] = ['', 0];
    await held(this.signal, this.imports.addBadRows(this.job.params.import_id, this.job, lines, count));
  }

  failure(): ApiError {
    if (this.job.params.skip_bad_rows) {
      return new ApiError(
        'validation_failed',
        `All rows are bad, so nothing was imported. ${this.#first} Download the bad rows and correct the file or the settings.`,
      );
    }
    const rows = this.count === 1 ? 'A row is' : `${this.count}${this.#isFull() ? ' or more' : ''} rows are`;
    return new ApiError(
      'validation_failed',
      `${rows} bad, so nothing was imported. ${this.#first} Download the bad rows and correct the file or the settings, or leave out bad rows.`,
    );
  }

  async #add(number: number, reason: string, line: string): Promise<void> {
    this.#first ||= `Row ${number}: ${reason}`;
    this.#lines += line;
    this.#unsaved += 1;
    this.count += 1;
    if (this.#lines.length >= FLUSH_CHARS) await this.flush();
    if (this.#isFull()) {
      await this.flush();
      throw this.failure();
    }
  }

  #isFull(): boolean {
    return !this.job.params.skip_bad_rows && this.count >= MAX_BAD_ROWS;
  }
}
