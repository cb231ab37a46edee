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

/** Of each run; a worker has no more than 32 of them under way. */
const REMEMBERED_OPERATIONS = 1_024;

interface StoringRun {
  ownerId: string;
  epoch: number;
  /** Numbers of the last operations of this epoch. */
  operations: Set<number>;
}

/** Storage operations of runs: whose they are is looked up here, never taken from the worker's word. */
@Injectable()
export class RunsStorageService implements OnModuleInit, OnModuleDestroy {
  /** Runs that have used storage and go on. */
  readonly #runs = new Map<string, StoringRun>();
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

  /**
   * Null for a frame that has come before on this connection: it is not done again, and the first is answered. What a
   * worker itself gives again it gives over another connection, and marks it.
   */
  async run(link: WorkerLink, { id, token, op_id, op }: StorageFrame): Promise<StorageAnswer | null> {
    const isOfThisBoot = this.tokens.matches(token, id, link.workerId, link.bootId);
    const run = isOfThisBoot ? (this.#runs.get(id) ?? (await this.#look(link, id))) : null;
    if (!run) {
      return { error: { code: 'run_ended', message: 'This run is over; it cannot use storage any more.' } };
    }
    if (isRepeat(run, link.epoch, op_id)) return null;
    return this.operations.run(run.ownerId, id, op);
  }

  async #end(id: string): Promise<void> {
    this.#runs.delete(id);
    try {
      await this.operations.end(id);
    } catch (error) {
      this.logger.warn(
        { err: error, execution: id },
        'the cursors of a run could not be closed; MongoDB closes them itself',
      );
    }
  }

  async #look(link: WorkerLink, id: string): Promise<StoringRun | undefined> {
    const [row] = await this.dataSource.query<{ owner_id: string }[]>(
      `SELECT owner_id FROM live_runs WHERE execution_id = $1 AND worker_id = $2 AND boot_id = $3`,
      [id, link.workerId, link.bootId],
    );
    // Another operation may have looked meanwhile.
    if (row && !this.#runs.has(id))
      this.#runs.set(id, { ownerId: row.owner_id, epoch: link.epoch, operations: new Set() });
    return this.#runs.get(id);
  }
}

function isRepeat(run: StoringRun, epoch: number, operation: number): boolean {
  if (epoch !== run.epoch) Object.assign(run, { epoch, operations: new Set() });
  if (run.operations.has(operation)) return true;
  run.operations.add(operation);
  const [oldest] = run.operations;
  if (run.operations.size > REMEMBERED_OPERATIONS) run.operations.delete(oldest as number);
  return false;
}
