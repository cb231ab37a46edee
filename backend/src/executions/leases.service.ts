import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import {
  type Action,
  type Beat,
  type Control,
  type Hello,
  LEASE_MS,
  type WaitingReason,
  type Welcome,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import type { WorkerLink } from '../workers/worker-connections.js';
import { EndingsService, workerLost } from './endings.service.js';
import { ExecutionEvents } from './execution-events.js';
import { waitingFor } from './execution-rows.js';
import { type Clocks, SweepGuard } from './sweep-guard.js';
import { SAY_WHY_RUNS_WAIT } from './waiting-runs.js';

const SWEEP_MS = 1_000;

interface LiveRow {
  execution_id: string;
  boot_id: string;
  want: Control['cmd'] | null;
  cmd_seq: number;
}

interface WaitingRow {
  id: string;
  owner_id: string;
  worker_id: string | null;
  action: Action;
  waiting_reason: WaitingReason;
  waiting_since: Date;
}

export interface HelloResult {
  welcome: Welcome;
  /** Committed to this boot, but it says nothing of them: the offer was lost on its way. */
  offerAgain: string[];
  live: string[];
  /** This boot was told to restart. */
  draining: boolean;
}

/** Who holds which worker, and until when. */
@Injectable()
export class LeasesService {
  /** This backend process, in `worker_leases`. */
  readonly #replicaId = uuidv7();
  readonly #guard = new SweepGuard();
  readonly #outages: OutageLog;

  constructor(
    private readonly dataSource: DataSource,
    private readonly endings: EndingsService,
    private readonly events: ExecutionEvents,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'looking for lost workers failed; it is tried again every second');
  }

  /**
   * Takes the worker over, and sorts its live runs into those that go on, those to offer again and those that are lost.
   * Null when the key it came with is not its key any more.
   */
  async hello(
    worker: { id: string; name: string; key_hash: Buffer },
    hello: Hello,
    ipAddress: string,
  ): Promise<HelloResult | null> {
    const result = await this.dataSource.transaction(async manager => {
      const [[seen]] = await manager.query<[{ draining: boolean }[], number]>(
        `UPDATE workers SET version = $2, environments = $3, sandbox = $4, sandbox_layers = $9, slots = $5, ip_address = $6,
           updated_at = now()
         WHERE id = $1 AND key_hash = $7 RETURNING coalesce(restart_boot_id = $8, false) AS draining`,
        [
          worker.id,
          hello.version,
          hello.environments,
          hello.sandbox,
          hello.slots,
          ipAddress,
          worker.key_hash,
          hello.boot_id,
          JSON.stringify(hello.sandbox_layers),
        ],
      );
      if (!seen) return null;
      const [lease] = await manager.query<{ epoch: string }[]>(
        `INSERT INTO worker_leases (worker_id, epoch, boot_id, replica_id, lease_until, free_slots)
         VALUES ($1, 1, $2, $3, now() + $4 * interval '1 ms', $5)
         ON CONFLICT (worker_id) DO UPDATE SET epoch = worker_leases.epoch + 1, boot_id = $2, replica_id = $3,
           lease_until = EXCLUDED.lease_until, free_slots = $5
         RETURNING epoch`,
        [worker.id, hello.boot_id, this.#replicaId, LEASE_MS, hello.slots - hello.live.length],
      );
      const epoch = Number(lease?.epoch);
      const rows = await manager.query<LiveRow[]>(
        `SELECT execution_id, boot_id, want, cmd_seq FROM live_runs
         WHERE worker_id = $1 AND boot_id IS NOT NULL FOR UPDATE`,
        [worker.id],
      );
      await manager.query(`UPDATE live_runs SET epoch = $2 WHERE worker_id = $1 AND boot_id IS NOT NULL`, [
        worker.id,
        epoch,
      ]);
      const known = await manager.query<{ id: string }[]>(`SELECT id FROM executions WHERE id = ANY($1::uuid[])`, [
        hello.done,
      ]);
      return { epoch, rows, known: new Set(known.map(row => row.id)), draining: seen.draining };
    });
    if (!result) return null;

    const [live, done] = [new Set(hello.live), new Set(hello.done)];
    const unended = result.rows.filter(row => !done.has(row.execution_id));
    const lost = unended.filter(row => row.boot_id !== hello.boot_id);
    const mine = unended.filter(row => row.boot_id === hello.boot_id);
    await this.endings.fail(ids(lost), { code: 'worker_lost', message: workerLost('was restarted') });
    const liveRows = new Set(ids(mine));
    return {
      welcome: {
        epoch: result.epoch,
        worker_id: worker.id,
        worker_name: worker.name,
        lease_ms: LEASE_MS,
        kill: hello.live.filter(id => !liveRows.has(id)),
        forget: hello.done.filter(id => !result.known.has(id)),
        controls: mine.flatMap(({ execution_id, want, cmd_seq }) =>
          want && live.has(execution_id) ? [{ id: execution_id, cmd: want, cmd_seq }] : [],
        ),
      },
      offerAgain: ids(mine.filter(row => !live.has(row.execution_id))),
      live: ids(mine),
      draining: result.draining,
    };
  }

  /** False when another connection of the worker has taken over, or its lease has run out: it has to say hello again. */
  async beat(link: WorkerLink, beat: Beat): Promise<boolean> {
    const [, renewed] = await this.dataSource.query<[unknown, number]>(
      `UPDATE worker_leases SET lease_until = now() + $4 * interval '1 ms', free_slots = $5
       WHERE worker_id = $1 AND epoch = $2 AND boot_id = $3 AND lease_until > now()`,
      [link.workerId, link.epoch, link.bootId, LEASE_MS, beat.free],
    );
    return renewed === 1;
  }

  /** The connection is gone; the lease runs on, so that a short outage ends no run. */
  async released(link: WorkerLink): Promise<void> {
    await this.dataSource.query(`UPDATE worker_leases SET replica_id = NULL WHERE worker_id = $1 AND epoch = $2`, [
      link.workerId,
      link.epoch,
    ]);
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      if (this.#guard.allows(await this.#clocks())) await this.endings.endOfExpiredLeases();
      await this.endings.endWithdrawn();
      await this.endings.endOfDisabled();
      await this.#sayWhyRunsWait();
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  async #clocks(): Promise<Clocks> {
    const [row] = await this.dataSource.query<{ ms: string }[]>(
      `SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms`,
    );
    return { database: Number(row?.ms), process: performance.now() };
  }

  async #sayWhyRunsWait(): Promise<void> {
    for (const row of await this.dataSource.query<WaitingRow[]>(SAY_WHY_RUNS_WAIT)) {
      this.events.changes.next({
        id: row.id,
        owner_id: row.owner_id,
        worker_id: row.worker_id,
        action: row.action,
        waiting_for: waitingFor({ ...row, run_after: null }),
        error_code: null,
        updated_at: row.waiting_since.toISOString(),
      });
    }
  }
}

const ids = (rows: LiveRow[]): string[] => rows.map(row => row.execution_id);
