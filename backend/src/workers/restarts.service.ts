import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { RestartMode } from '@trawl/contracts';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import type { SessionUser } from '../auth/current-user.js';
import { ApiError, notFound } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { askWorker } from './ask-worker.js';
import { isOffered, mayRestart } from './who-may-use.js';
import { WorkerConnections, type WorkerLink } from './worker-connections.js';

const LOOK_MS = 1_000;

interface WorkerNow {
  id: string;
  key_hash: Buffer;
  restart_boot_id: string | null;
  restart_mode: RestartMode;
}

/**
 * Holds the workers that are connected here to what was said of them, here or at another backend: a restart reaches the
 * boot that it is meant for over whatever connection it has, and who has an old key, or was deleted, is not served.
 */
@Injectable()
export class RestartsService {
  /** What a worker has taken note of on this connection. */
  readonly #told = new WeakMap<WorkerLink, RestartMode>();
  readonly #outages: OutageLog;

  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: WorkerConnections,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(
      logger,
      'the connected workers could not be looked up; it is tried again in a second',
    );
  }

  /** @throws {ApiError} 403, 404 for a worker that the user may not see, 409 `worker_offline`. */
  async ask(user: SessionUser, workerId: string, mode: RestartMode): Promise<void> {
    const [worker] = await this.dataSource.query<{ name: string; allowed: boolean }[]>(
      `SELECT w.name, ${mayRestart('w.id', '$2')} AS allowed FROM workers w WHERE w.id = $1 AND ${isOffered('w.id', '$2')}`,
      [workerId, user.id],
    );
    if (!worker) throw notFound('worker', workerId);
    if (!worker.allowed) {
      throw new ApiError(
        'forbidden',
        `${worker.name} is not yours alone, so only an administrator may restart it: runs of others may be on it.`,
      );
    }
    const [[asked]] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE workers w SET restart_boot_id = l.boot_id,
         restart_mode = CASE WHEN w.restart_boot_id = l.boot_id AND w.restart_mode = 'stop' THEN 'stop' ELSE $2 END
       FROM worker_leases l
       WHERE w.id = $1 AND l.worker_id = w.id AND l.replica_id IS NOT NULL AND l.lease_until > now() RETURNING w.id`,
      [workerId, mode],
    );
    if (!asked) {
      throw new ApiError(
        'worker_offline',
        `${worker.name} is not connected, so it cannot be told to restart. Start it on its own machine.`,
      );
    }
    await this.look();
  }

  @Interval(LOOK_MS)
  async look(): Promise<void> {
    const links = [...this.connections.all()];
    if (links.length === 0) return;
    try {
      const rows = await this.dataSource.query<WorkerNow[]>(
        `SELECT id, key_hash, restart_boot_id, restart_mode FROM workers WHERE id = ANY($1::uuid[])`,
        [links.map(link => link.workerId)],
      );
      const workers = new Map(rows.map(row => [row.id, row]));
      for (const link of links) this.#hold(link, workers.get(link.workerId));
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  #hold(link: WorkerLink, worker: WorkerNow | undefined): void {
    if (!worker?.key_hash.equals(link.keyHash)) {
      this.logger.warn({ worker: link.name }, 'a worker has lost its key, or was deleted; its connection is closed');
      link.socket.disconnect(true);
      return;
    }
    if (worker.restart_boot_id !== link.bootId) return;
    link.draining = true;
    void this.#tell(link, worker.restart_mode);
  }

  async #tell(link: WorkerLink, mode: RestartMode): Promise<void> {
    if (this.#told.get(link) === mode) return;
    this.#told.set(link, mode);
    try {
      await askWorker(link.socket, 'restart', { mode });
      this.logger.info({ worker: link.name, mode }, 'a worker was told to restart');
    } catch {
      this.#told.delete(link);
      this.logger.warn({ worker: link.name }, 'a worker did not answer that it restarts; it is told again');
    }
  }
}
