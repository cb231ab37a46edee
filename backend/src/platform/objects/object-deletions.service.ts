import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { DueWork } from '../database/due-work.service.js';
import { ObjectStore } from './object-store.service.js';

const SWEEP_MS = 10_000;
/** Number of objects that one transaction deletes. It is small, because the transaction waits for the object store. */
const BATCH = 100;
const REQUESTS_AT_ONCE = 10;

/**
 * Deletes the objects that `object_deletions` lists: those of deleted chunks, and those whose chunk was never saved. The
 * database registers both; this service belongs to no particular kind of object.
 */
@Injectable()
export class ObjectDeletions implements OnModuleInit {
  readonly #outages: OutageLog;
  #sweep: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: ObjectStore,
    private readonly dueWork: DueWork,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'deleting objects failed; retrying every 10 s');
  }

  onModuleInit(): void {
    this.dueWork.add('deletions of objects', {
      everyMs: SWEEP_MS,
      find: () => 'EXISTS (SELECT FROM object_deletions WHERE delete_after <= now())',
      run: () => this.sweep(),
    });
  }

  /** Deletes all objects that are due. Stops when a request fails. */
  sweep(): Promise<void> {
    this.#sweep ??= this.#deleteDue().finally(() => {
      this.#sweep = undefined;
    });
    return this.#sweep;
  }

  async #deleteDue(): Promise<void> {
    if (!this.store.isConfigured) return;
    try {
      while ((await this.#deleteBatch()) === BATCH);
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Returns how many objects were deleted. */
  #deleteBatch(): Promise<number> {
    return this.dataSource.transaction(async manager => {
      // The lock keeps `save_chunk` from using an object that is about to be deleted.
      const due = await manager.query<{ key: string }[]>(
        `SELECT key FROM object_deletions WHERE delete_after <= now() ORDER BY delete_after LIMIT ${BATCH}
         FOR UPDATE SKIP LOCKED`,
      );
      const limit = pLimit(REQUESTS_AT_ONCE);
      const deleted: string[] = [];
      const failed: string[] = [];
      const deleteOne = async (key: string): Promise<void> => {
        // Without this, an outage would keep the transaction waiting for each object.
        if (failed.length > 0) return;
        await this.store.delete(key).then(
          () => deleted.push(key),
          () => failed.push(key),
        );
      };
      await Promise.all(due.map(({ key }) => limit(deleteOne, key)));
      await manager.query('DELETE FROM object_deletions WHERE key = ANY ($1)', [deleted]);
      // Later, so that objects which the store refuses to delete do not keep the others waiting.
      await manager.query(
        `UPDATE object_deletions SET delete_after = now() + interval '5 minutes' WHERE key = ANY ($1)`,
        [failed],
      );
      return deleted.length;
    });
  }
}
