import { Injectable } from '@nestjs/common';
import type { StorageAnswer, StorageFrame } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { StorageOperationsService } from '../storage/storage-operations.service.js';
import type { WorkerLink } from '../workers/worker-connections.js';
import { RunTokens } from './run-tokens.js';

/** Storage operations of runs: whose they are is looked up here, never taken from the worker's word. */
@Injectable()
export class RunsStorageService {
  /** Owners of runs that have used storage and go on. */
  readonly #owners = new Map<string, string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly operations: StorageOperationsService,
    private readonly tokens: RunTokens,
  ) {}

  async run(link: WorkerLink, { id, token, op }: StorageFrame): Promise<StorageAnswer> {
    const ownerId = link.offered.has(id) ? (this.#owners.get(id) ?? (await this.#ownerOf(link, id))) : null;
    if (!ownerId || !this.tokens.matches(token, id, link.workerId, link.bootId)) {
      return { error: { code: 'run_ended', message: 'This run is over; it cannot use storage any more.' } };
    }
    return this.operations.run(ownerId, id, op);
  }

  async end(id: string): Promise<void> {
    this.#owners.delete(id);
    await this.operations.end(id);
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
