import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StorageUsageService } from '../../data/storage/usage/storage-usage.service.js';
import { notFound } from '../../platform/common/errors.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import type { List, ListQuery } from '../../platform/http/lists/list-query.js';
import type { AllQueuesQuery, PlatformQueueDto, QueueDto, QueueHostDto } from './queues.dto.js';
import { HAS_DELETED, HAS_ENDED_TAKERS, QueuesRepository } from './queues.repository.js';

/** Shows queues, and cleans up behind runs and deleted queues. */
@Injectable()
export class QueuesService implements OnModuleInit {
  #deleting: Promise<void> | undefined;

  constructor(
    private readonly repository: QueuesRepository,
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

  list(ownerId: string, query: ListQuery): Promise<List<QueueDto>> {
    return this.repository.page(ownerId, query);
  }

  listAll(query: AllQueuesQuery): Promise<List<PlatformQueueDto>> {
    return this.repository.pageOfAll(query);
  }

  async get(ownerId: string, id: string): Promise<QueueDto> {
    const queue = await this.repository.find(ownerId, id);
    if (!queue) throw notFound('queue', id);
    return queue;
  }

  async hosts(ownerId: string, id: string, query: ListQuery): Promise<List<QueueHostDto>> {
    await this.get(ownerId, id);
    return this.repository.pageOfHosts(id, query);
  }

  async retryFailed(ownerId: string, id: string): Promise<QueueDto> {
    await this.get(ownerId, id);
    await this.repository.retryFailed(ownerId, id);
    return this.get(ownerId, id);
  }

  async empty(ownerId: string, id: string): Promise<QueueDto> {
    await this.get(ownerId, id);
    await this.repository.empty(ownerId, id);
    return this.get(ownerId, id);
  }

  /** Deletes a queue. Returns it as it was. */
  async delete(ownerId: string, id: string): Promise<QueueDto> {
    const queue = await this.get(ownerId, id);
    await this.repository.delete(ownerId, id);
    return queue;
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
