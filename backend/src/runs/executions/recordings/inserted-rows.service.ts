import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import type { Logger } from 'pino';
import { StorageUsageService } from '../../../data/storage/usage/storage-usage.service.js';
import { insertedRowsIn } from '../../../data/storage/values/rows-in-bson.js';
import { ApiError } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { ExecutionsService } from '../records/executions.service.js';
import { InsertedRowsRepository, type KeptRows } from './inserted-rows.repository.js';

/** The collections and tables of a run whose rows are kept. */
export const MAX_TARGETS = 10;
const MAX_CALLS = 10_000;
const MAX_TARGET_CHARS = 500;

/** A live run that is recorded, or a replay. */
export interface InsertingRun {
  id: string;
  ownerId: string;
  kept?: Promise<KeptRows>;
  /** Whether rows are missing because PostgreSQL was down. */
  hasGap?: boolean;
}

/**
 * Keeps a copy of the rows that recorded runs and their replays send with `mongo` and `postgres`. A replay does not store
 * these rows, so a comparison has only the copies.
 */
@Injectable()
export class InsertedRowsService implements OnModuleInit {
  constructor(
    private readonly repository: InsertedRowsRepository,
    private readonly executions: ExecutionsService,
    private readonly usage: StorageUsageService,
    private readonly cleanups: Cleanups,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.usage.addMeter(ownerId => this.repository.bytesOf(ownerId));
    this.cleanups.add('inserted rows of records', 'nightly', () => this.repository.deleteExpired());
  }

  /**
   * Keeps the rows of a call: BSON documents one after another. Once the rows of a target have no room, it gets no more.
   * Never throws, because the run does not need the copy.
   *
   * @param n number of the call among those to the same server
   */
  async keep(run: InsertingRun, target: string, n: number, rows: Buffer): Promise<void> {
    if (rows.length === 0 || target.length > MAX_TARGET_CHARS || target.includes('\0')) return;
    try {
      run.kept ??= this.repository.keptOf(run.id);
      const kept = await run.kept;
      const isOpen = kept.targets.get(target) ?? kept.targets.size < MAX_TARGETS;
      if (!isOpen) return;
      const fits = !run.hasGap && kept.bytes + rows.length <= LIMITS.insertedBytes && kept.calls < MAX_CALLS;
      kept.targets.set(target, fits);
      kept.calls += 1;
      if (fits) kept.bytes += rows.length;
      const data = fits && (await this.#hasRoom(run.ownerId, rows.length)) ? rows : null;
      if (!data) kept.targets.set(target, false);
      await this.repository.add(run.id, run.ownerId, { target, n, data });
    } catch (error) {
      run.hasGap = true;
      delete run.kept;
      this.logger.warn({ err: error, execution: run.id }, 'keeping the inserted rows of a run failed');
    }
  }

  /** Returns the collections and tables whose rows are kept of a run, each with whether all of them are. */
  async targetsOf(id: string): Promise<KeptRows['targets']> {
    return (await this.repository.keptOf(id)).targets;
  }

  /** Reads the kept rows of a run, call by call. */
  read(id: string, target: string): AsyncIterable<Buffer> {
    return this.repository.read(id, target);
  }

  /**
   * Returns a line of JSON for each row, and one without a row for each target that lacks rows.
   *
   * @throws {ApiError} 404 for a run of another user.
   */
  async lines(ownerId: string, id: string): Promise<AsyncIterable<string>> {
    await this.executions.get(ownerId, id);
    return this.#lines(id, await this.targetsOf(id));
  }

  async *#lines(id: string, targets: KeptRows['targets']): AsyncGenerator<string> {
    for (const [target, complete] of targets) {
      for await (const rows of this.read(id, target)) {
        let lines = '';
        for (const row of insertedRowsIn(rows)) lines += `${JSON.stringify({ target, row })}\n`;
        yield lines;
      }
      if (!complete) yield `${JSON.stringify({ target, row: null })}\n`;
    }
  }

  async #hasRoom(ownerId: string, bytes: number): Promise<boolean> {
    try {
      await this.usage.reserve(ownerId, bytes);
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }
}
