import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { isLive, type StorageAnswer, type StorageFrame } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Subscription } from 'rxjs';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';
import { StorageOperationsService } from '../storage/storage-operations.service.js';
import type { WorkerLink } from '../workers/worker-connections.js';
import { ExecutionEvents } from './execution-events.js';
import { RunTokens } from './run-tokens.js';

/** Storage operations of runs: whose they are is looked up here, never taken from the worker's word. */
@Injectable()
export class RunsStorageService implements OnModuleInit, OnModuleDestroy {
  /** Owners of runs that have used storage and go on. */
  readonly #owners = new Map<string, string>();
  #subscription?: Subscription;

  constructor(
    private readonly dataSource: DataSource,
    private readonly operations: StorageOperationsService,
    private readonly tokens: RunTokens,
    private readonly events: ExecutionEvents,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.#subscription = this.events.changes.subscribe(({ id, action }) => {
      if (!isLive(action)) void this.#end(id);
    });
  }

  onModuleDestroy(): void {
    this.#subscription?.unsubscribe();
  }

  async run(link: WorkerLink, { id, token, op }: StorageFrame): Promise<StorageAnswer> {
    const isOfThisBoot = this.tokens.matches(token, id, link.workerId, link.bootId);
    const ownerId = isOfThisBoot ? (this.#owners.get(id) ?? (await this.#ownerOf(link, id))) : null;
    if (!ownerId) {
      return { error: { code: 'run_ended', message: 'This run is over; it cannot use storage any more.' } };
    }
    return this.operations.run(ownerId, id, op);
  }

  async #end(id: string): Promise<void> {
    this.#owners.delete(id);
    try {
      await this.operations.end(id);
    } catch (error) {
      this.logger.warn(
        { err: error, execution: id },
        'the cursors of a run could not be closed; MongoDB closes them itself',
      );
    }
  }

  async #ownerOf(link: WorkerLink, id: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ owner_id: string }[]>(
      `SELECT owner_id FROM live_runs WHERE execution_id = $1 AND worker_id = $2 AND boot_id = $3`,
      [id, link.workerId, link.bootId],
    );
    if (row) this.#owners.set(id, row.owner_id);
    return row?.owner_id ?? null;
  }
}
