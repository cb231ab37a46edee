import { Injectable } from '@nestjs/common';
import type { Environment, WaitingReason, WorkerStatus } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { ApiError, notFound } from '../common/errors.js';
import { preparedQuery } from '../common/prepared-query.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import { isContained, isOffered } from '../workers/who-may-use.js';
import { freeSlots, WorkerConnections, type WorkerLink } from '../workers/worker-connections.js';
import { WORKER_STATUS } from '../workers/worker-status.js';

/** The worker that a run is committed to, and its connection; without one, what the run waits for. */
export interface Target {
  workerId: string | null;
  link: WorkerLink | null;
  waiting: WaitingReason | null;
}

/** A worker that the account may choose. */
export interface CandidateWorker {
  id: string;
  environments: Environment[];
  key_hash: Buffer;
  status: WorkerStatus;
  contained: boolean;
}

/** Which worker gets a run. */
@Injectable()
export class StartTargets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: WorkerConnections,
    private readonly freeWorkers: FreeWorkersService,
  ) {}

  /** @param workerId `any` for all that the account may use. */
  candidates(ownerId: string, workerId: string): Promise<CandidateWorker[]> {
    return preparedQuery<CandidateWorker>(
      this.dataSource,
      'workers for a start',
      `SELECT w.id, w.environments, w.key_hash, ${WORKER_STATUS} AS status,
         ${isContained('w.id', '$1')} AS contained
       FROM workers w LEFT JOIN worker_leases l ON l.worker_id = w.id
       WHERE ($2 = 'any' OR w.id::text = $2) AND ${isOffered('w.id', '$1')}`,
      [ownerId, workerId],
    );
  }

  /**
   * Of these the one that has the most room, and whether the run can begin there at once.
   * @throws {ApiError} 403 on a worker without the full sandbox, 404, 422 `environment_not_available`.
   */
  async choose(
    ownerId: string,
    workerId: string,
    environment: Environment,
    candidates: CandidateWorker[],
  ): Promise<Target> {
    if (environment === 'python') {
      throw new ApiError('environment_not_available', 'Skripts in Python cannot run yet. Use the environment nodejs.');
    }
    if (workerId !== 'any' && candidates.length === 0) throw notFound('worker', workerId);
    const contained = candidates.filter(worker => worker.contained);
    if (candidates.length > 0 && contained.length === 0) {
      const isComing = (await this.freeWorkers.stateOf(ownerId)) === 'waiting';
      throw new ApiError('forbidden', isComing ? FREE_WORKER_TO_COME : NOT_CONTAINED);
    }
    const able = contained.filter(worker => worker.environments.includes(environment));
    // A worker that never connected has not said yet what it can do.
    if (able.length === 0 && contained.some(worker => worker.environments.length > 0)) {
      throw new ApiError(
        'environment_not_available',
        `No worker that this run may use has the environment ${environment}. Choose another worker or environment.`,
      );
    }
    const link = able
      .flatMap(worker => {
        const link = this.connections.get(worker.id);
        // Another backend may have replaced its key: the connection is then about to be closed.
        // What the worker has said since it was looked up counts.
        return link?.keyHash.equals(worker.key_hash) && link.environments.includes(environment) ? link : [];
      })
      .sort((a, b) => freeSlots(b) - freeSlots(a))[0];
    if (link && freeSlots(link) > 0) return { workerId: link.workerId, link, waiting: null };
    // Not to be begun from here at once. Whoever holds a fitting worker takes it as soon as that has a slot.
    // One that never connected may turn out to be able.
    const statuses = candidates.flatMap(worker =>
      able.includes(worker) || worker.environments.length === 0 ? worker.status : [],
    );
    return { workerId: workerId === 'any' ? null : workerId, link: null, waiting: reasonOf(statuses) };
  }
}

/** What a run waits for, by the statuses of the workers that could take it; `waiting-runs.ts` says it anew. */
function reasonOf(statuses: WorkerStatus[]): WaitingReason {
  if (statuses.includes('online')) return 'worker_full';
  if (statuses.some(status => status === 'draining' || status === 'restarting')) return 'worker_restarting';
  return statuses.includes('offline') ? 'worker_offline' : 'no_suitable_worker';
}

const FREE_WORKER_TO_COME =
  'Your free worker is still to come: your code needs one with the full sandbox, and none is connected. The first that is becomes yours by itself. ' +
  'Until then skripts can be written and bundled, and none can be started.';
const NOT_CONTAINED =
  'No worker that you chose has the full sandbox; on any other one only the accounts made at the first start may run skripts. Ask the administrator for a worker that has it.';
