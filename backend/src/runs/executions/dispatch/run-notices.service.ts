import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { isLive } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Subscription } from 'rxjs';
import { WriteBatcher } from '../../../platform/common/batching/write-batcher.js';
import { BACKEND_ID } from '../../../platform/common/config.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { OutageLog } from '../../../platform/common/outage-log.js';
import { PostgresNotices } from '../../../platform/database/postgres-notices.service.js';
import { WorkerConnections } from '../../workers/connections/worker-connections.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { toDto, waitingFor } from '../records/execution-rows.js';
import { WaitsService } from '../records/waits.service.js';
import { LiveRunsRepository } from './live-runs.repository.js';
import { OffersService } from './offers.service.js';
import { ReconciliationService } from './reconciliation.service.js';

/** So many runs are read with their outputs, which may be large. The calls that wait for others read those themselves. */
const MAX_COMPLETE = 20;

/**
 * Acts on changes of runs that other backends committed: sends offers and commands to the workers connected here, and
 * publishes the changes to waiting calls and viewers. A notification may be lost; reconciliation and the waiting calls
 * look every second.
 * See docs/decisions/0302-several-backends.md.
 */
@Injectable()
export class RunNotices implements OnModuleInit, OnModuleDestroy {
  readonly #outages: OutageLog;
  /** Reads runs that have changed, as many at once as have changed during the last read. */
  readonly #reads = new WriteBatcher<string, unknown>(ids => this.#publish(ids));
  #subscription?: Subscription;

  constructor(
    private readonly notices: PostgresNotices,
    private readonly liveRuns: LiveRunsRepository,
    private readonly connections: WorkerConnections,
    private readonly offers: OffersService,
    private readonly reconciliation: ReconciliationService,
    private readonly events: ExecutionEvents,
    private readonly waits: WaitsService,
    @Inject(BACKEND_ID) private readonly backendId: string,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'reading runs that another backend changed failed');
  }

  onModuleInit(): void {
    this.#subscription = this.notices.on('trawl_runs').subscribe(payload => {
      if (payload === null) {
        this.#catchUp();
        return;
      }
      const [origin, ...lines] = payload.split('\n');
      if (origin !== this.backendId) for (const line of lines) this.#receive(line);
    });
  }

  onModuleDestroy(): void {
    this.#subscription?.unsubscribe();
  }

  /** Reads what other backends may have changed while their notifications did not arrive. */
  #catchUp(): void {
    void this.reconciliation.reconcileAll();
    for (const id of this.waits.awaited()) this.#read(id);
  }

  #read(id: string): void {
    this.#reads.add(id).then(
      () => this.#outages.success(),
      error => this.#outages.failure(error),
    );
  }

  /** @param line what happened, execution, owner and worker, as the trigger of `live_runs` writes it. */
  #receive(line: string): void {
    const [event, id, ownerId, workerId] = line.split(' ') as [string, string, string, string];
    const link = this.connections.get(workerId);
    if (event === 'offered') {
      if (link) this.offers.offerOfOtherBackend(link, id, ownerId);
      const change = { id, owner_id: ownerId, worker_id: workerId, action: 'start' as const };
      this.events.publish({ ...change, updated_at: new Date() });
      return;
    }
    if (event === 'waits') this.offers.offerWaitingSoon(workerId === '-' ? null : workerId);
    if (event === 'command' && link) void this.reconciliation.reconcileSoon(link);
    this.#read(id);
  }

  async #publish(ids: string[]): Promise<unknown[]> {
    const changed = [...new Set(ids)];
    const awaited = this.waits.awaited();
    const complete = changed.filter(id => awaited.has(id)).slice(0, MAX_COMPLETE);
    for (const row of await this.liveRuns.statesOf(changed, complete)) {
      this.events.publish({
        id: row.id,
        owner_id: row.owner_id,
        worker_id: row.worker_id,
        action: row.action,
        waiting_for: waitingFor(row),
        error_code: row.error_code,
        updated_at: row.updated_at,
        ended: complete.includes(row.id) && !isLive(row.action) ? toDto(row) : undefined,
      });
    }
    return [];
  }
}
