import { Injectable } from '@nestjs/common';
import type { Action, WaitingReason } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import type { WorkerLink } from '../workers/worker-connections.js';
import { ExecutionEvents } from './execution-events.js';
import { waitingFor } from './execution-rows.js';

interface SaidRow {
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

  /** Of a run that is not on this boot of the worker, or that has said so before, nothing is noted. */
  async note(
    link: WorkerLink,
    { id, waiting_for: reason }: { id: string; waiting_for: WaitingReason | null },
  ): Promise<void> {
    const [said] = await this.dataSource.query<SaidRow[]>(
      `WITH said AS (
         UPDATE live_runs SET waiting_reason = $4::text, waiting_since = CASE WHEN $4::text IS NULL THEN NULL ELSE now() END
         WHERE execution_id = $1 AND worker_id = $2 AND boot_id = $3 AND waiting_reason IS DISTINCT FROM $4::text
         RETURNING execution_id)
       SELECT e.owner_id, e.action, now() AS now FROM said JOIN executions e ON e.id = said.execution_id`,
      [id, link.workerId, link.bootId, reason],
    );
    if (!said) return;
    this.events.changes.next({
      id,
      owner_id: said.owner_id,
      worker_id: link.workerId,
      action: said.action,
      waiting_for: reason && waitingFor(reason, said.now, null),
      error_code: null,
      updated_at: said.now.toISOString(),
    });
  }
}
