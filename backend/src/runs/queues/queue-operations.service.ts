import { Injectable, type OnModuleInit } from '@nestjs/common';
import { countText, QUEUE_LIMITS, type QueueOperation, type StorageAnswer } from '@trawl/contracts';
import { Binary, serialize } from 'bson';
import { StorageFailure } from '../../data/storage/mongodb/storage-failures.js';
import { RunCalls } from '../../data/storage/runs/run-calls.js';
import { StorageUsageService } from '../../data/storage/usage/storage-usage.service.js';
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
  readonly #calls: RunCalls;

  constructor(
    private readonly requests: QueueCallsRepository,
    private readonly queues: QueuesRepository,
    private readonly usage: StorageUsageService,
    contention: Contention,
  ) {
    this.#calls = new RunCalls('queue calls', contention);
  }

  onModuleInit(): void {
    this.usage.addMeter(ownerId => this.queues.bytesOf(ownerId));
  }

  /** Executes one call. Never throws: in case of an error, the answer contains a message for the owner of the run. */
  run(ownerId: string, executionId: string, op: QueueOperation): Promise<StorageAnswer> {
    return this.#calls.answer(ownerId, async () => {
      const args = parseQueueArguments(op);
      return serialize(await this.#execute({ ownerId, executionId, name: op.collection }, op, args));
    });
  }

  async #execute(caller: QueueCaller, { method, args: { length } }: QueueOperation, args: unknown): Promise<object> {
    if (method === 'queueAdd') return this.#add(caller, args as AddArguments, length);
    if (method === 'queueTake') return this.requests.take(caller, args as TakeArguments);
    if (method === 'queueCounts') return this.requests.counts(caller);
    if (method === 'queueDrop') {
      await this.requests.drop(caller);
      return {};
    }
    await this.requests.settle(caller, args as SettleArguments);
    this.usage.markChanged(caller.ownerId);
    return {};
  }

  async #add(caller: QueueCaller, args: AddArguments, bytes: number): Promise<object> {
    await this.usage.reserve(caller.ownerId, bytes + args.urls.length * QUEUE_LIMITS.overheadBytes);
    const { states, refusal } = await this.requests.add(caller, args);
    if (refusal) throw new StorageFailure('storage_full', REFUSALS[refusal]);
    if (!states) throw new StorageFailure('storage_unavailable', 'The queue was deleted at this moment.');
    return { states: new Binary(Buffer.from(states)) };
  }
}
