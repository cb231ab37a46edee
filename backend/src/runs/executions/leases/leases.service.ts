import { performance } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Beat, type Hello, type LeaseTimes, leaseTimes, PROTOCOL, type Welcome } from '@trawl/contracts';
import type { Logger } from 'pino';
import { BACKEND_ID, CONFIG, type Config } from '../../../platform/common/config.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { Metrics } from '../../../platform/common/metrics.service.js';
import { OutageLog } from '../../../platform/common/outage-log.js';
import { DueWork } from '../../../platform/database/due-work.service.js';
import type { WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { GroupMembers } from '../../workers/groups/group-members.service.js';
import { EndingsService, workerLost } from '../end/endings.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { waitingChange } from '../records/execution-rows.js';
import {
  type DueSweep,
  LeasesRepository,
  type LiveRow,
  type Look,
  SWEEP_ALL,
  type TakenOver,
  type WorkerLogin,
} from './leases.repository.js';
import { SweepGuard } from './sweep-guard.js';

/** Part of the time between two sweeps after which another backend may sweep. Timers are not exact. */
const TURN = 0.8;

export interface HelloResult {
  worker: TakenOver['worker'];
  welcome: Welcome;
  /** Ids of runs that are committed to this boot but that the worker does not have, because the offer was lost. */
  offerAgain: string[];
  /** The live runs of this boot: the id of each run's account, by run. */
  live: Map<string, string>;
  /** Whether this boot was told to restart. */
  draining: boolean;
}

/**
 * Grants and renews the leases of workers, and ends the runs of workers whose lease has expired. A lease ties a worker
 * to one connection.
 */
@Injectable()
export class LeasesService implements OnModuleInit, BeforeApplicationShutdown {
  readonly #lease: LeaseTimes;
  readonly #guard: SweepGuard;
  readonly #outages: OutageLog;

  constructor(
    private readonly leases: LeasesRepository,
    private readonly endings: EndingsService,
    private readonly events: ExecutionEvents,
    private readonly members: GroupMembers,
    private readonly dueWork: DueWork,
    private readonly metrics: Metrics,
    @Inject(BACKEND_ID) private readonly backendId: string,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#lease = leaseTimes(config.leaseMs);
    this.#guard = new SweepGuard(config.leaseMs);
    this.#outages = new OutageLog(logger, 'lease sweep failed; retrying');
  }

  onModuleInit(): void {
    this.dueWork.add<Look>('sweep of leases', {
      everyMs: this.#lease.sweepMs,
      find: this.leases.findSweep,
      values: () => this.members.retirement.values,
      run: look => this.#sweepIfDue(look),
    });
  }

  /** Releases the leases before the connections close, because the database may be disconnected by then. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.leases.releaseAll(this.backendId).catch(error => this.#outages.failure(error));
  }

  /**
   * Handles the `hello` of a worker: gives it a new epoch and sorts its live runs into those it has, those to offer
   * again, and those lost with an older boot. Returns null if the worker's key was replaced.
   * @throws {WorkerInUse} if another process has the worker's lease.
   */
  async hello(login: WorkerLogin, hello: Hello, ipAddress: string): Promise<HelloResult | null> {
    const { leaseMs } = this.#lease;
    const taken = await this.leases.takeOver(login, hello, { ipAddress, replicaId: this.backendId, leaseMs });
    if (!taken) return null;

    const [live, done] = [new Set(hello.live), new Set(hello.done)];
    const unended = taken.rows.filter(row => !done.has(row.execution_id));
    const lost = unended.filter(row => row.boot_id !== hello.boot_id);
    const mine = unended.filter(row => row.boot_id === hello.boot_id);
    await this.endings.fail(ids(lost), { code: 'worker_lost', message: workerLost('restarted') });
    const liveRows = new Set(ids(mine));
    return {
      worker: taken.worker,
      welcome: {
        protocol: Math.min(hello.protocol, PROTOCOL),
        epoch: taken.epoch,
        worker_id: taken.worker.id,
        worker_name: taken.worker.name,
        ...(taken.worker.key === undefined ? {} : { key: taken.worker.key }),
        lease_ms: leaseMs,
        kill: hello.live.filter(id => !liveRows.has(id)),
        forget: hello.done.filter(id => !taken.known.has(id)),
        controls: mine.flatMap(({ execution_id, want, cmd_seq }) =>
          want && live.has(execution_id) ? [{ id: execution_id, cmd: want, cmd_seq }] : [],
        ),
      },
      offerAgain: ids(mine.filter(row => !live.has(row.execution_id))),
      live: new Map(mine.map(row => [row.execution_id, row.owner_id])),
      draining: taken.draining,
    };
  }

  /**
   * Renews a lease. Returns false if another connection has taken over or the lease has expired. The worker must then
   * send `hello` again.
   */
  renew(link: WorkerLink, beat: Beat): Promise<boolean> {
    return this.leases.renew(link, this.#lease.leaseMs, beat);
  }

  /**
   * Records a closed connection. The lease stays valid until its time is over, so that a short disconnect ends no run.
   */
  release(link: WorkerLink): Promise<void> {
    return this.leases.release(link);
  }

  /** Sweeps even if nothing asks for it. */
  async sweep(): Promise<void> {
    const clocks = { database: await this.leases.now(), process: performance.now() };
    await this.#sweep(this.#guard.allows(clocks), SWEEP_ALL);
  }

  /** @param look the clock of PostgreSQL, which the guard must see once a second, and what there is to do. */
  async #sweepIfDue({ ms, due }: Look): Promise<void> {
    const mayEndRuns = this.#guard.allows({ database: ms, process: performance.now() });
    if (Object.values(due).includes(true)) await this.#sweep(mayEndRuns, due, this.#lease.sweepMs * TURN);
  }

  /** @param everyMs does nothing if a backend swept less than so long ago. */
  async #sweep(mayEndRuns: boolean, due: DueSweep, everyMs = 0): Promise<void> {
    const beganAt = performance.now();
    try {
      if (everyMs > 0 && !(await this.leases.takeTurn(mayEndRuns, everyMs))) return;
      if (mayEndRuns) {
        if (due.expired) await this.endings.endRunsOfLostWorkers();
        if (due.lost) await this.leases.recordLost(this.#lease.leaseMs);
        if (due.retired) await this.members.retire();
      }
      if (due.withdrawn) await this.endings.endRunsOfWithdrawnWorkers();
      if (due.disabled) await this.endings.endRunsOfDisabledAccounts();
      if (due.waiting) await this.#updateWaitingReasons();
      this.metrics.sweepSeconds.observe((performance.now() - beganAt) / 1_000);
      this.#outages.success();
    } catch (error) {
      this.metrics.sweepsFailed.inc();
      this.#outages.failure(error);
    }
  }

  async #updateWaitingReasons(): Promise<void> {
    for (const row of await this.leases.updateWaitingReasons()) this.events.publish(waitingChange(row));
  }
}

const ids = (rows: LiveRow[]): string[] => rows.map(row => row.execution_id);
