import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../../platform/common/logger.js';
import type { RowCount } from '../records/executions.repository.js';
import { ExecutionsService } from '../records/executions.service.js';

/** Time after which counts are written. */
const WRITE_MS = 1_000;
/** The largest number that the column can hold. A run may say any number. */
const MAX_ROWS = 2 ** 31 - 1;

/**
 * The numbers of rows that runs have stored. It writes them together, so that a push waits for no statement of
 * PostgreSQL, and one write at a time. The end of a run waits for its number.
 * See docs/decisions/0128-rows-and-values-of-runs.md.
 */
@Injectable()
export class RowCounts implements OnModuleDestroy {
  /** By run. A number stays until it is written. */
  readonly #unwritten = new Map<string, RowCount>();
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when the latest write has ended. */
  #latest: Promise<void> = Promise.resolve();

  constructor(
    private readonly executions: ExecutionsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writeAll();
  }

  /** Notes the number of rows of a run. A lower number than before has no effect. */
  note({ id, workerId, rows }: RowCount): void {
    const known = this.#unwritten.get(id)?.rows ?? 0;
    this.#unwritten.set(id, { id, workerId, rows: Math.min(Math.max(rows, known), MAX_ROWS) });
    this.#writeLater();
  }

  /** Writes the number of a run that ends. @throws an error of PostgreSQL */
  async settle(id: string): Promise<void> {
    if (!this.#unwritten.has(id)) return;
    await this.#inTurn(() => {
      const count = this.#unwritten.get(id);
      return count ? [count] : [];
    });
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => void this.#writeAll(), WRITE_MS).unref();
  }

  async #writeAll(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.#inTurn(() => [...this.#unwritten.values()]);
    } catch (error) {
      this.logger.warn({ err: error }, 'saving the numbers of rows failed; trying again in a second');
      this.#writeLater();
    }
  }

  /** Writes numbers when the write before has ended. Takes them only then, because they may have been written meanwhile. */
  #inTurn(numbers: () => RowCount[]): Promise<void> {
    const written = this.#latest.then(() => this.#write(numbers()));
    this.#latest = written.catch(() => {});
    return written;
  }

  async #write(counts: RowCount[]): Promise<void> {
    if (counts.length === 0) return;
    await this.executions.noteStoredRows(counts);
    for (const count of counts) {
      // A push may have noted a higher number meanwhile.
      if (this.#unwritten.get(count.id) === count) this.#unwritten.delete(count.id);
    }
  }
}
