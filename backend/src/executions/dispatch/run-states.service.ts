import { Injectable } from '@nestjs/common';
import type { WaitingReason } from '@trawl/contracts';
import type { WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { waitingFor } from '../records/execution-rows.js';
import { LiveRunsRepository, type ReportedRow } from '../records/live-runs.repository.js';

/** The waiting reason of a run whose worker has not answered the offer. */
export const UNANSWERED: WaitingReason = 'worker_offline';

/** Writes the waiting reasons of runs that a worker has or was offered. */
@Injectable()
export class RunStatesService {
  constructor(
    private readonly liveRuns: LiveRunsRepository,
    private readonly events: ExecutionEvents,
  ) {}

  /** Records a run's waiting reason as its worker reports it. It replaces any earlier reason. */
  async report(link: WorkerLink, state: { id: string; waiting_for: WaitingReason | null }): Promise<void> {
    await this.#setReason(link, [state.id], state.waiting_for, 'waiting_reason IS DISTINCT FROM $4::text');
  }

  /**
   * Records that the worker has not answered an offer. Does not replace a reason that the worker has reported, because
   * such a report shows that the worker has the run.
   */
  async reportUnanswered(link: WorkerLink, id: string): Promise<void> {
    await this.#setReason(link, [id], UNANSWERED, 'waiting_reason IS NULL');
  }

  /** Records that the worker has these runs. Does not replace a reason that the worker has reported. */
  async reportAnswered(link: WorkerLink, ids: string[]): Promise<void> {
    await this.#setReason(link, ids, null, `waiting_reason = '${UNANSWERED}'`);
  }

  /** Puts a run that the worker refused back into the queue. */
  async requeue(link: WorkerLink, id: string, reason: WaitingReason): Promise<void> {
    this.#publish(link, reason, await this.liveRuns.requeue(link, id, reason));
  }

  async #setReason(link: WorkerLink, ids: string[], reason: WaitingReason | null, condition: string): Promise<void> {
    this.#publish(link, reason, await this.liveRuns.setWaitingReason(link, ids, reason, condition));
  }

  #publish(link: WorkerLink, reason: WaitingReason | null, rows: ReportedRow[]): void {
    for (const { id, owner_id, action, now } of rows) {
      this.events.publish({
        id,
        owner_id,
        worker_id: link.workerId,
        action,
        waiting_for: waitingFor({ action, waiting_reason: reason, waiting_since: now, run_after: null }),
        updated_at: now,
      });
    }
  }
}
