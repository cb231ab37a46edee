import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { RestartMode } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { SessionUser } from '../../platform/auth/current-user.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { OutageLog } from '../../platform/common/outage-log.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import { askWorker } from './connections/ask-worker.js';
import { WorkerConnections, type WorkerLink } from './connections/worker-connections.service.js';
import { type RestartRow, WorkersRepository } from './workers.repository.js';

const POLL_MS = 1_000;

/**
 * Restarts workers. Also disconnects workers that were deleted or whose key was replaced. A request is saved in the
 * worker's row, where the backend that has the worker's connection finds it, even if another backend received the
 * request.
 */
@Injectable()
export class RestartsService implements OnModuleInit {
  /**
   * The restart mode that was sent over each connection. The entry is removed if the worker does not acknowledge it.
   */
  readonly #sent = new WeakMap<WorkerLink, RestartMode>();
  readonly #outages: OutageLog;

  constructor(
    private readonly workers: WorkersRepository,
    private readonly connections: WorkerConnections,
    private readonly dueWork: DueWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'polling the rows of connected workers failed; retrying every second');
  }

  onModuleInit(): void {
    this.dueWork.add('restarts', {
      everyMs: POLL_MS,
      find: this.workers.findChanged,
      values: () => {
        const links = [...this.connections.all()];
        return [links.map(link => link.workerId), links.map(link => link.keyHash), links.map(link => link.bootId)];
      },
      run: () => this.poll(),
    });
  }

  /**
   * Saves a request to restart the worker process that runs now. Sends it at once if the worker is connected to this
   * backend.
   * @throws {ApiError} 403; 404 for a worker that the user may not see; 409 `worker_offline`.
   */
  async request(user: SessionUser, workerId: string, mode: RestartMode): Promise<void> {
    const worker = await this.workers.findRestartable(user.id, workerId);
    if (!worker) throw notFound('worker', workerId);
    if (!worker.allowed) {
      throw new ApiError(
        'forbidden',
        `Only an administrator can restart ${worker.name}, because other users can use it too.`,
      );
    }
    if (!(await this.workers.requestRestart(workerId, mode))) {
      throw new ApiError(
        'worker_offline',
        `${worker.name} is not connected, so Trawl cannot restart it. Start it on its own machine.`,
      );
    }
    await this.poll();
  }

  /** Reads the rows of the connected workers, and does what they ask for. */
  async poll(): Promise<void> {
    const links = [...this.connections.all()];
    if (links.length === 0) return;
    try {
      const rows = await this.workers.findRestarts(links.map(link => link.workerId));
      const workers = new Map(rows.map(row => [row.id, row]));
      for (const link of links) this.#apply(link, workers.get(link.workerId));
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  #apply(link: WorkerLink, worker: RestartRow | undefined): void {
    if (!worker?.key_hash.equals(link.keyHash)) {
      this.logger.warn({ worker: link.name }, 'worker deleted or its key replaced; closing the connection');
      link.socket.disconnect(true);
      return;
    }
    if (worker.restart_boot_id !== link.bootId) return;
    link.draining = true;
    void this.#sendRestart(link, worker.restart_mode);
  }

  async #sendRestart(link: WorkerLink, mode: RestartMode): Promise<void> {
    if (this.#sent.get(link) === mode) return;
    this.#sent.set(link, mode);
    try {
      await askWorker(link.socket, 'restart', { mode });
      this.logger.info({ worker: link.name, mode }, 'worker acknowledged the restart');
    } catch {
      this.#sent.delete(link);
      this.logger.warn({ worker: link.name }, 'restart not acknowledged; sending it again');
    }
  }
}
