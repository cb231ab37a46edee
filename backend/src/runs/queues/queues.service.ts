import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StorageUsageService } from '../../data/storage/usage/storage-usage.service.js';
import type { DeletedDto } from '../../platform/common/entity.js';
import { notFound } from '../../platform/common/errors.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import type { List, ListQuery } from '../../platform/http/lists/list-query.js';
import { QueueListsRepository } from './queue-lists.repository.js';
import type { QueueDto, QueueHostDto, QueuesQuery, RetriedRequestsDto } from './queues.dto.js';
import { HAS_DELETED, HAS_ENDED_TAKERS, QueuesRepository } from './queues.repository.js';

/** The queues of an account, for their owner. Cleans up behind runs and deleted queues. */
@Injectable()
export class QueuesService implements OnModuleInit {
  #deleting: Promise<void> | undefined;

  constructor(
    private readonly repository: QueuesRepository,
    private readonly lists: QueueListsRepository,
    private readonly usage: StorageUsageService,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    // The statement that ends a run does not touch queues, so that a run without a queue costs nothing.
    this.dueWork.add('requests of runs that have ended', {
      everyMs: 1_000,
      find: () => HAS_ENDED_TAKERS,
      run: () => this.repository.giveBack(),
    });
    this.dueWork.add('deleted queues', { everyMs: 1_000, find: () => HAS_DELETED, run: () => this.deleteMarked() });
    this.cleanups.add('unused queues', 'nightly', () => this.repository.deleteUnused());
  }

  list(ownerId: string, query: QueuesQuery): Promise<List<QueueDto>> {
    return this.lists.page(ownerId, query);
  }

  async get(ownerId: string, id: string): Promise<QueueDto> {
    const found = await this.lists.find(ownerId, id);
    if (!found) throw notFound('queue', id);
    return found;
  }

  async hosts(ownerId: string, id: string, query: ListQuery): Promise<List<QueueHostDto>> {
    await this.get(ownerId, id);
    return this.lists.pageOfHosts(id, query);
  }

  async retryFailed(ownerId: string, id: string): Promise<RetriedRequestsDto> {
    await this.get(ownerId, id);
    return { retried: await this.repository.retryFailed(id) };
  }

  async empty(ownerId: string, id: string): Promise<QueueDto> {
    if (!(await this.repository.empty(ownerId, id))) throw notFound('queue', id);
    return this.get(ownerId, id);
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    if (!(await this.repository.delete(ownerId, id))) throw notFound('queue', id);
    return { deleted: { queues: 1 } };
  }

  /** Deletes all requests of deleted queues, batch by batch. */
  deleteMarked(): Promise<void> {
    this.#deleting ??= this.#deleteAll().finally(() => {
      this.#deleting = undefined;
    });
    return this.#deleting;
  }

  async #deleteAll(): Promise<void> {
    for (let gone = await this.repository.deleteSome(); gone; gone = await this.repository.deleteSome()) {
      if (gone.ownerId) this.usage.markChanged(gone.ownerId);
    }
  }
}
