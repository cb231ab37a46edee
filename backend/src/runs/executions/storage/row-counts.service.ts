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
 * PostgreSQL. The end of a run waits for its number.
 * See docs/decisions/0128-rows-and-values-of-runs.md.
 */
@Injectable()
export class RowCounts implements OnModuleDestroy {
  readonly #unwritten = new Map<string, RowCount>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly executions: ExecutionsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writeLater();
  }

  /** Notes the number of rows of a run. A lower number than before has no effect. */
  note({ id, workerId, rows }: RowCount): void {
    const known = this.#unwritten.get(id)?.rows ?? 0;
    this.#unwritten.set(id, { id, workerId, rows: Math.min(Math.max(rows, known), MAX_ROWS) });
    this.#timer ??= setTimeout(() => void this.#writeLater(), WRITE_MS).unref();
  }

  /** Writes the number of a run that ends. @throws an error of PostgreSQL */
  async settle(id: string): Promise<void> {
    if (this.#unwritten.has(id)) await this.#write();
  }

  async #writeLater(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.#write();
    } catch (error) {
      this.logger.warn({ err: error }, 'saving the numbers of rows failed; trying again in a second');
    }
  }

  async #write(): Promise<void> {
    const counts = [...this.#unwritten.values()];
    if (counts.length === 0) return;
    this.#unwritten.clear();
    try {
      await this.executions.noteStoredRows(counts);
    } catch (error) {
      for (const count of counts) this.note(count);
      throw error;
    }
  }
}
