import { Injectable } from '@nestjs/common';
import type { WaitingReason } from '@trawl/contracts';
import type { WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { waitingFor } from '../records/execution-rows.js';
import { LiveRunsRepository, type ReportedRow, type ReportedWait } from './live-runs.repository.js';

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
  async report(
    link: WorkerLink,
    { id, waiting_for, queue }: { id: string; waiting_for: WaitingReason | null; queue?: ReportedWait['queue'] },
  ): Promise<void> {
    const wait = waiting_for && { reason: waiting_for, queue };
    const isNew = '(waiting_reason, waiting_place, waiting_of) IS DISTINCT FROM ($4::text, $6::integer, $7::integer)';
    await this.#setReason(link, [id], wait, isNew);
  }

  /**
   * Records that the worker has not answered an offer. Does not replace a reason that the worker has reported, because
   * such a report shows that the worker has the run.
   */
  async reportUnanswered(link: WorkerLink, id: string): Promise<void> {
    await this.#setReason(link, [id], { reason: UNANSWERED }, 'waiting_reason IS NULL');
  }

  /** Records that the worker has these runs. Does not replace a reason that the worker has reported. */
  async reportAnswered(link: WorkerLink, ids: string[]): Promise<void> {
    await this.#setReason(link, ids, null, `waiting_reason = '${UNANSWERED}'`);
  }

  /** Puts a run that the worker refused back into the queue. */
  async requeue(link: WorkerLink, id: string, reason: WaitingReason): Promise<void> {
    const rows = await this.liveRuns.requeue(link, id, reason);
    this.#publish(
      link,
      { reason },
      rows.map(row => ({ ...row, waiting_since: row.now })),
    );
  }

  async #setReason(link: WorkerLink, ids: string[], wait: ReportedWait | null, condition: string): Promise<void> {
    this.#publish(link, wait, await this.liveRuns.setWaitingReason(link, ids, wait, condition));
  }

  #publish(link: WorkerLink, wait: ReportedWait | null, rows: (ReportedRow & { waiting_since: Date | null })[]): void {
    const { place = null, of = null } = wait?.queue ?? {};
    for (const { id, owner_id, action, waiting_since, now } of rows) {
      const waiting = { waiting_reason: wait?.reason ?? null, waiting_since, waiting_place: place, waiting_of: of };
      this.events.publish({
        id,
        owner_id,
        worker_id: link.workerId,
        action,
        waiting_for: waitingFor({ action, ...waiting, run_after: null }),
        updated_at: now,
      });
    }
  }
}
