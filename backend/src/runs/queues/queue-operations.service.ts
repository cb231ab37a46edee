import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { countText, QUEUE_LIMITS, type QueueOperation, SHARES, type StorageAnswer } from '@trawl/contracts';
import { Binary, serialize } from 'bson';
import { StorageFailure } from '../../data/storage/mongodb/storage-failures.js';
import { StorageUsageService } from '../../data/storage/usage/storage-usage.service.js';
import { ApiError } from '../../platform/common/errors.js';
import { isTemporaryFailure } from '../../platform/common/postgres-errors.js';
import { AccountSemaphore } from '../../platform/common/shares/account-semaphore.js';
import { Contention } from '../../platform/common/shares/contention.service.js';
import { type AddArguments, parseQueueArguments, type SettleArguments, type TakeArguments } from './queue-arguments.js';
import { type QueueCaller, QueueCallsRepository } from './queue-calls.repository.js';
import { QueuesRepository } from './queues.repository.js';

const REFUSALS = {
  queues: `You have ${countText(QUEUE_LIMITS.queues, 'queue')}, which is the limit. Delete one.`,
  requests: `A queue holds at most ${countText(QUEUE_LIMITS.requests, 'request')}, those that are done included. Use another queue, or empty this one.`,
};

/**
 * Executes the calls of runs on queues. A call that is repeated changes nothing: an add finds its requests, a take finds
 * what it has leased, and a settlement finds no lease.
 */
@Injectable()
export class QueueOperationsService implements OnModuleInit {
  readonly #log = new Logger(QueueOperationsService.name);
  readonly #semaphore: AccountSemaphore;

  constructor(
    private readonly calls: QueueCallsRepository,
    private readonly queues: QueuesRepository,
    private readonly usage: StorageUsageService,
    contention: Contention,
  ) {
    this.#semaphore = new AccountSemaphore('queue calls', SHARES.runStorageCallsAtOnce, {
      maxQueued: SHARES.runStorageCallsQueued,
      whileCompeting: { concurrency: SHARES.callsWhileCompeting, contention },
    });
  }

  onModuleInit(): void {
    this.usage.addMeter(ownerId => this.queues.bytesOf(ownerId));
  }

  /** Executes one call. Never throws: in case of an error, the answer contains a message for the owner of the run. */
  async run(ownerId: string, executionId: string, op: QueueOperation): Promise<StorageAnswer> {
    let release = () => {};
    try {
      release = await this.#semaphore.acquire(ownerId);
      const args = parseQueueArguments(op);
      return { result: serialize(await this.#execute({ ownerId, executionId, name: op.collection }, op, args)) };
    } catch (error) {
      return { error: this.#toError(error) };
    } finally {
      release();
    }
  }

  async #execute(caller: QueueCaller, { method, args: { length } }: QueueOperation, args: unknown): Promise<object> {
    if (method === 'queueAdd') return this.#add(caller, args as AddArguments, length);
    if (method === 'queueTake') return this.calls.take(caller, args as TakeArguments);
    if (method === 'queueCounts') return this.calls.counts(caller);
    if (method === 'queueDrop') {
      await this.calls.drop(caller);
      return {};
    }
    await this.calls.settle(caller, args as SettleArguments);
    this.usage.markChanged(caller.ownerId);
    return {};
  }

  async #add(caller: QueueCaller, args: AddArguments, bytes: number): Promise<object> {
    await this.usage.reserve(caller.ownerId, bytes + args.urls.length * QUEUE_LIMITS.overheadBytes);
    const { states, refusal } = await this.calls.add(caller, args);
    if (refusal) throw new StorageFailure('storage_full', REFUSALS[refusal]);
    if (!states) throw new StorageFailure('storage_unavailable', 'The queue was deleted at this moment.');
    return { states: new Binary(Buffer.from(states)) };
  }

  #toError(error: unknown): { code: string; message: string } {
    if (error instanceof StorageFailure) return { code: error.code, message: error.message };
    if (error instanceof ApiError) {
      // The worker retries what is unavailable for a while.
      const isBusy = error.code === 'too_many_requests';
      return { code: isBusy ? 'storage_unavailable' : 'storage_full', message: error.message };
    }
    if (isTemporaryFailure(error)) {
      return { code: 'storage_unavailable', message: "The platform's database does not answer." };
    }
    this.#log.error(error);
    return { code: 'storage_rejected', message: 'Trawl failed to execute the call. Its log has the details.' };
  }
}
