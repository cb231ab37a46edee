import { Inject, Injectable } from '@nestjs/common';
import type { Environment, WaitingReason, WorkerStatus } from '@trawl/contracts';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { MaintenanceService } from '../../../platform/maintenance/maintenance.service.js';
import {
  accountSlots,
  freeSlotsFor,
  WorkerConnections,
  type WorkerLink,
} from '../../workers/connections/worker-connections.service.js';
import { FreeWorkersService } from '../../workers/free-workers.service.js';
import type { CandidateWorker } from '../../workers/workers.repository.js';

/** The worker and its boot that a run is committed to. If there is none, `waiting` says why the run waits. */
export interface Target {
  workerId: string | null;
  boot: { id: string; epoch: number } | null;
  /** The worker's connection; null if another backend has it. That backend is notified and sends the offer. */
  link: WorkerLink | null;
  waiting: WaitingReason | null;
}

/** Chooses the worker for a run. */
@Injectable()
export class StartTargets {
  constructor(
    private readonly connections: WorkerConnections,
    private readonly freeWorkers: FreeWorkersService,
    private readonly maintenance: MaintenanceService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Chooses the candidate with the most free slots for the account, and says whether the run can begin there at once.
   * @throws {ApiError} 403 if only workers without the full sandbox are left and the account must not use them; 404;
   *   422 `environment_not_available`.
   */
  async choose(
    ownerId: string,
    workerId: string,
    environment: Environment,
    candidates: CandidateWorker[],
  ): Promise<Target> {
    if (environment === 'python') {
      throw new ApiError(
        'environment_not_available',
        'The environment `python` is not supported yet. Use `nodejs` or `browser`.',
      );
    }
    if (workerId !== 'any' && candidates.length === 0) throw notFound('worker', workerId);
    const sufficient = candidates.filter(worker => worker.sufficient);
    if (candidates.length > 0 && sufficient.length === 0) {
      const isPromised = (await this.freeWorkers.stateOf(ownerId)) === 'waiting';
      throw new ApiError('forbidden', isPromised ? FREE_WORKER_PENDING : NOT_CONTAINED);
    }
    const able = sufficient.filter(worker => worker.environments.includes(environment));
    // Do not refuse the run if all workers have an empty list. The list is empty until a worker connects for the first
    // time.
    if (able.length === 0 && sufficient.some(worker => worker.environments.length > 0)) {
      const why = environment === 'browser' ? ', which skripts that require Puppeteer need' : '';
      throw new ApiError(
        'environment_not_available',
        `No available worker supports the environment \`${environment}\`${why}. Choose another worker or environment.`,
      );
    }
    const chosen = workerId === 'any' ? null : workerId;
    if (this.maintenance.current) return { workerId: chosen, boot: null, link: null, waiting: 'maintenance' };
    const [target] = able
      .flatMap(worker => this.#roomOn(worker, ownerId, environment))
      .sort((a, b) => b.free - a.free || Number(b.link !== null) - Number(a.link !== null));
    if (target) return target;
    // The run waits. When a suitable worker has a free slot, the backend to which it is connected claims the run.
    // Workers that never connected are counted too, because they may be suitable.
    const statuses = candidates.flatMap(worker =>
      able.includes(worker) || worker.environments.length === 0 ? worker.status : [],
    );
    return { workerId: chosen, boot: null, link: null, waiting: reasonOf(statuses) };
  }

  /** Returns the worker with its number of free slots for the account; an empty list if it has none. */
  #roomOn(
    { id, key_hash, status, boot }: CandidateWorker,
    ownerId: string,
    environment: Environment,
  ): (Target & { free: number })[] {
    const percent = this.config.accountSlotsPercent;
    const link = this.connections.get(id);
    if (!link) {
      const free = boot ? Math.min(boot.free, accountSlots(boot.slots, percent) - boot.own) : 0;
      if (status !== 'online' || !boot || free <= 0) return [];
      return [{ workerId: id, boot, link: null, waiting: null, free }];
    }
    // Skip a connection with an old key: another backend has replaced the key, and the connection will be closed. The
    // environments are checked again, because `link` has newer ones than the row.
    const isFitting = link.keyHash.equals(key_hash) && link.environments.includes(environment);
    const free = isFitting ? freeSlotsFor(link, ownerId, percent) : 0;
    if (free === 0) return [];
    return [{ workerId: id, boot: { id: link.bootId, epoch: link.epoch }, link, waiting: null, free }];
  }
}

/**
 * Returns the waiting reason for the statuses of the workers that could take the run. `waiting-reasons.ts` updates it
 * later.
 */
function reasonOf(statuses: WorkerStatus[]): WaitingReason {
  if (statuses.includes('online')) return 'worker_full';
  if (statuses.some(status => status === 'draining' || status === 'restarting')) return 'worker_restarting';
  return statuses.includes('offline') ? 'worker_offline' : 'no_suitable_worker';
}

const FREE_WORKER_PENDING =
  'Your free worker is not ready yet, because no worker with the full sandbox is connected. You get the first one that connects. ' +
  'Until then you can write and bundle skripts, but not start them.';
const NOT_CONTAINED =
  'No worker that you chose has the full sandbox. On other workers only the accounts from the first start may run skripts. Ask an administrator for a worker with the full sandbox.';
