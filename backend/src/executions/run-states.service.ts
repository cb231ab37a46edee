import { Injectable } from '@nestjs/common';
import type { Action, WaitingReason } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import type { WorkerLink } from '../workers/worker-connections.js';
import { ExecutionEvents } from './execution-events.js';
import { waitingFor } from './execution-rows.js';

/** Committed to a worker that does not say whether it has it. */
export const UNANSWERED: WaitingReason = 'worker_offline';

interface SaidRow {
  id: string;
  owner_id: string;
  action: Action;
  now: Date;
}

/** What runs wait for that a worker has, or was offered. */
@Injectable()
export class RunStatesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly events: ExecutionEvents,
  ) {}

  /** What the worker itself says counts, whatever was said before. */
  async note(link: WorkerLink, state: { id: string; waiting_for: WaitingReason | null }): Promise<void> {
    await this.#say(link, [state.id], state.waiting_for, 'waiting_reason IS DISTINCT FROM $4::text');
  }

  /** The worker has not said that it has the run. What it said of the run meanwhile shows that it has. */
  async unanswered(link: WorkerLink, id: string): Promise<void> {
    await this.#say(link, [id], UNANSWERED, 'waiting_reason IS NULL');
  }

  /** The worker has these runs. What it said of them since stays. */
  async answered(link: WorkerLink, ids: string[]): Promise<void> {
    await this.#say(link, ids, null, `waiting_reason = '${UNANSWERED}'`);
  }

  /** It waits again; one asked for `any` worker may go to another. A pause that it was told meanwhile is done. */
  async refused(link: WorkerLink, id: string, reason: WaitingReason): Promise<void> {
    const [rows] = await this.dataSource.query<[SaidRow[], number]>(
      `WITH back AS (
         UPDATE live_runs SET boot_id = NULL, epoch = NULL, waiting_reason = $3, waiting_since = now(),
           worker_id = CASE WHEN on_any THEN NULL ELSE worker_id END, cmd_done = cmd_seq
         WHERE execution_id = $1 AND boot_id = $2 RETURNING execution_id, want)
       UPDATE executions e SET action = CASE WHEN back.want = 'pause' THEN 'pause' ELSE e.action END
       FROM back WHERE e.id = back.execution_id RETURNING e.id, e.owner_id, e.action, now() AS now`,
      [id, link.bootId, reason],
    );
    this.#tell(link, reason, rows);
  }

  /** Of a run that is not on this boot of the worker nothing is said, nor over a connection that was replaced. */
  async #say(link: WorkerLink, ids: string[], reason: WaitingReason | null, condition: string): Promise<void> {
    const rows = await this.dataSource.query<SaidRow[]>(
      `WITH said AS (
         UPDATE live_runs SET waiting_reason = $4::text, waiting_since = CASE WHEN $4::text IS NULL THEN NULL ELSE now() END
         WHERE execution_id = ANY($1::uuid[]) AND worker_id = $2 AND boot_id = $3 AND epoch <= $5 AND ${condition}
         RETURNING execution_id)
       SELECT e.id, e.owner_id, e.action, now() AS now FROM said JOIN executions e ON e.id = said.execution_id`,
      [ids, link.workerId, link.bootId, reason, link.epoch],
    );
    this.#tell(link, reason, rows);
  }

  #tell(link: WorkerLink, reason: WaitingReason | null, rows: SaidRow[]): void {
    for (const { id, owner_id, action, now } of rows) {
      this.events.changes.next({
        id,
        owner_id,
        worker_id: link.workerId,
        action,
        waiting_for: waitingFor({ action, waiting_reason: reason, waiting_since: now, run_after: null }),
        error_code: null,
        updated_at: now.toISOString(),
      });
    }
  }
}
