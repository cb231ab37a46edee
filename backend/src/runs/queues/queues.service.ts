import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StorageUsageService } from '../../data/storage/usage/storage-usage.service.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import { HAS_DELETED, HAS_ENDED_TAKERS, QueuesRepository } from './queues.repository.js';

/** Cleans up behind runs and deleted queues. */
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
