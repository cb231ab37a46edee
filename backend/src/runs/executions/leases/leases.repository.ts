import { Injectable } from '@nestjs/common';
import type { Beat, Control, Hello } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import type { WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { type GroupLogin, GroupMembers } from '../../workers/groups/group-members.service.js';
import { isWorkerAssigned } from '../../workers/worker-access.js';
import { WORKER_STATUS } from '../../workers/worker-status.js';
import { WorkersRepository } from '../../workers/workers.repository.js';
import { LEASE_EXPIRED, OF_DELETED_WORKER, TO_STOP, WAITS_DISABLED } from '../end/endings.repository.js';
import type { WaitingRow } from '../records/execution-rows.js';
import { refuseSecondProcess } from './second-process.js';
import { UPDATE_WAITING_REASONS } from './waiting-reasons.js';

export interface LiveRow {
  execution_id: string;
  owner_id: string;
  boot_id: string;
  want: Control['cmd'] | null;
  cmd_seq: number;
}

/** The answer of the database to the question whether a sweep is due. */
export interface Look {
  /** PostgreSQL's clock, in ms. */
  ms: number;
  due: DueSweep;
}

/** The tasks of a sweep; true if the database has work for it. */
export interface DueSweep {
  /** End runs of workers whose lease has expired. */
  expired: boolean;
  /** Tell of workers that went offline. */
  lost: boolean;
  /** Retire workers of groups. */
  retired: boolean;
  /** End runs whose worker was deleted, or may not be used any more. */
  withdrawn: boolean;
  /** End runs of disabled accounts. */
  disabled: boolean;
  /** Find out why runs wait. */
  waiting: boolean;
}

export const SWEEP_ALL: DueSweep = {
  expired: true,
  lost: true,
  retired: true,
  withdrawn: true,
  disabled: true,
  waiting: true,
};

/** A worker that connected with a key of its own, or a process with the key of a group. */
export type WorkerLogin = { id: string; name: string; key_hash: Buffer } | GroupLogin;

export interface TakenOver {
  worker: { id: string; name: string; key_hash: Buffer; key?: string };
  epoch: number;
  /** Runs committed to any boot of the worker. */
  rows: LiveRow[];
  /** Ids of ended runs that the worker has named and that still exist in the database. */
  known: Set<string>;
  draining: boolean;
}

/** SQL on `worker_leases l` and `workers w`: whether the worker went offline, and nobody was told. */
const IS_LOST = `l.lost_at IS NULL AND l.lease_until < now() AND ${WORKER_STATUS} = 'offline'`;

/** SQL statements for a worker's `hello` and its heartbeats. */
@Injectable()
export class LeasesRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workers: WorkersRepository,
    private readonly members: GroupMembers,
  ) {}

  /**
   * Writes the `hello` of a worker and raises its epoch. Enrolls a process that connected with the key of a group.
   * Returns null if the key was replaced after the process connected.
   * @throws {WorkerInUse} if another process has the worker's lease.
   */
  takeOver(
    login: WorkerLogin,
    hello: Hello,
    { ipAddress, replicaId, leaseMs }: { ipAddress: string; replicaId: string; leaseMs: number },
  ): Promise<TakenOver | null> {
    return this.dataSource.transaction(async manager => {
      const worker = 'groupId' in login ? await this.members.enroll(manager, login, hello) : login;
      if (!worker) return null;
      await refuseSecondProcess(manager, { ...worker, leaseMs }, hello);
      const seen = await this.workers.recordHello(manager, worker, hello, ipAddress);
      if (!seen) return null;
      const [lease] = await manager.query<{ epoch: string }[]>(
        `INSERT INTO worker_leases (worker_id, epoch, boot_id, replica_id, lease_until, free_slots)
         VALUES ($1, 1, $2, $3, now() + $4 * interval '1 ms', $5)
         ON CONFLICT (worker_id) DO UPDATE SET epoch = worker_leases.epoch + 1, boot_id = $2, replica_id = $3,
           lease_until = EXCLUDED.lease_until, free_slots = $5, lost_at = NULL,
           connected_at = CASE WHEN worker_leases.boot_id = $2 THEN worker_leases.connected_at ELSE now() END
         RETURNING epoch`,
        [worker.id, hello.boot_id, replicaId, leaseMs, hello.slots - hello.live.length],
      );
      const epoch = Number(lease?.epoch);
      const rows = await lockLiveRuns(manager, worker.id, epoch);
      const known = await manager.query<{ id: string }[]>(`SELECT id FROM executions WHERE id = ANY($1::uuid[])`, [
        hello.done,
      ]);
      return { worker, epoch, rows, known: new Set(known.map(row => row.id)), draining: seen.draining };
    });
  }

  /**
   * Renews a lease, and saves how many slots the worker has now. Returns false if a newer connection has raised the
   * epoch, or if the lease has expired.
   */
  async renew(link: WorkerLink, leaseMs: number, { slots, free, usage }: Beat): Promise<boolean> {
    const [, renewed] = await this.dataSource.query<[unknown, number]>(
      `UPDATE worker_leases SET lease_until = now() + $4 * interval '1 ms', free_slots = $5, cpu = $6,
         memory_used = $7, memory_total = $8, disk_free = $9, disk_total = $10, event_loop_ms = $11
       WHERE worker_id = $1 AND epoch = $2 AND boot_id = $3 AND lease_until > now()`,
      [
        link.workerId,
        link.epoch,
        link.bootId,
        leaseMs,
        free,
        usage?.cpu ?? null,
        usage?.memory_used ?? null,
        usage?.memory_total ?? null,
        usage?.disk_free ?? null,
        usage?.disk_total ?? null,
        usage?.event_loop_ms ?? null,
      ],
    );
    if (renewed !== 1) return false;
    if (slots !== undefined && slots !== link.slots) {
      await this.workers.recordSlots(link.workerId, slots);
      link.slots = slots;
    }
    return true;
  }

  async release(link: WorkerLink): Promise<void> {
    await this.dataSource.query(`UPDATE worker_leases SET replica_id = NULL WHERE worker_id = $1 AND epoch = $2`, [
      link.workerId,
      link.epoch,
    ]);
  }

  /** Releases all leases that a backend holds. */
  async releaseAll(replicaId: string): Promise<void> {
    await this.dataSource.query('UPDATE worker_leases SET replica_id = NULL WHERE replica_id = $1', [replicaId]);
  }

  /**
   * Tells administrators, and the accounts that a worker is assigned to, of each worker that went offline. Workers that
   * restart as they were told have a minute to come back.
   */
  async recordLost(leaseMs: number): Promise<void> {
    await this.dataSource.query(
      `WITH lost AS (
         UPDATE worker_leases l SET lost_at = now() FROM workers w
         WHERE w.id = l.worker_id AND ${IS_LOST}
         RETURNING w.id, w.name, l.lease_until),
       told AS (
         SELECT u.id AS owner_id, json_build_object('worker', json_build_object('id', lost.id, 'name', lost.name),
           'last_seen_at', iso_time(lost.lease_until - $1 * interval '1 ms')) AS data
         FROM lost, users u
         WHERE u.role = 'admin'
           OR ${isWorkerAssigned('lost.id', 'u.id')})
       SELECT record_events(array_agg(owner_id), array_agg('worker.lost'::text), array_agg(data)) FROM told
       HAVING count(*) > 0`,
      [leaseMs],
    );
  }

  /** Returns an SQL expression of a `Look`. @param times the placeholders of `GroupMembers.retirement`. */
  readonly findSweep = (...times: string[]): string =>
    `json_build_object('ms', extract(epoch FROM clock_timestamp()) * 1000, 'due', json_build_object(
       'expired', EXISTS (SELECT FROM live_runs r WHERE ${LEASE_EXPIRED}),
       'lost', EXISTS (SELECT FROM worker_leases l JOIN workers w ON w.id = l.worker_id WHERE ${IS_LOST}),
       'retired', ${this.members.retirement.find(...times)},
       -- Who may use a worker depends on many rows, so the sweep finds that out.
       'withdrawn', EXISTS (SELECT FROM live_runs r WHERE r.boot_id IS NULL AND r.worker_id IS NOT NULL)
         OR EXISTS (SELECT FROM live_runs r WHERE ${OF_DELETED_WORKER}),
       'disabled', EXISTS (SELECT FROM live_runs r WHERE ${TO_STOP})
         OR EXISTS (SELECT FROM live_runs r WHERE ${WAITS_DISABLED}),
       'waiting', EXISTS (SELECT FROM live_runs r WHERE r.boot_id IS NULL AND r.builder IS NULL)))`;

  /** Updates the waiting reason of every run without a worker. Returns the runs whose reason changed. */
  updateWaitingReasons(): Promise<WaitingRow[]> {
    return this.dataSource.query<WaitingRow[]>(UPDATE_WAITING_REASONS);
  }

  /** Takes the next sweep. Returns false if a backend swept less than `everyMs` ago. */
  async takeTurn(mayEndRuns: boolean, everyMs: number): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `INSERT INTO sweep_turns AS t (may_end_runs, taken_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (may_end_runs) DO UPDATE SET taken_at = clock_timestamp()
         WHERE t.taken_at NOT BETWEEN clock_timestamp() - $2 * interval '1 ms' AND clock_timestamp()
       RETURNING 1`,
      [mayEndRuns, everyMs],
    );
    return rows.length > 0;
  }

  /** PostgreSQL's clock, in ms. */
  async now(): Promise<number> {
    const [row] = await this.dataSource.query<{ ms: string }[]>(
      `SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms`,
    );
    return Number(row?.ms);
  }
}

async function lockLiveRuns(manager: EntityManager, workerId: string, epoch: number): Promise<LiveRow[]> {
  const rows = await manager.query<LiveRow[]>(
    `SELECT execution_id, owner_id, boot_id, want, cmd_seq FROM live_runs
     WHERE worker_id = $1 AND boot_id IS NOT NULL FOR UPDATE`,
    [workerId],
  );
  await manager.query(`UPDATE live_runs SET epoch = $2 WHERE worker_id = $1 AND boot_id IS NOT NULL`, [
    workerId,
    epoch,
  ]);
  return rows;
}
