import { Injectable } from '@nestjs/common';
import type { Command } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { ApiError } from '../common/errors.js';
import { WorkerConnections } from '../workers/worker-connections.js';
import { DispatcherService } from './dispatcher.service.js';
import { EndingsService } from './endings.service.js';
import { ExecutionEvents } from './execution-events.js';
import type { ControlQuery, ExecutionDto } from './executions.dto.js';
import { ExecutionsService } from './executions.service.js';

interface CommandedRow {
  execution_id: string;
  worker_id: string | null;
  boot_id: string | null;
  cmd_seq: number;
}

/**
 * Commands to runs that go on. A command is committed first; until it has worked, the dispatcher sends it again. A run
 * that no worker has obeys at once. The id of any try means its chain. After a stop there is no other command.
 */
const COMMAND = `WITH told AS (
    UPDATE live_runs r SET want = $7, cmd_seq = cmd_seq + 1,
      cmd_done = CASE WHEN r.boot_id IS NULL AND $7 <> 'stop' THEN cmd_seq + 1 ELSE cmd_done END
    FROM executions e
    WHERE e.id = r.execution_id AND r.owner_id = $1
      AND ($2::uuid IS NULL OR r.execution_id = $2 OR e.retry_of = $2
        OR e.retry_of = (SELECT named.retry_of FROM executions named WHERE named.id = $2))
      AND ($3::uuid IS NULL OR e.skript_id = $3) AND ($4::uuid IS NULL OR r.worker_id = $4) AND ($5::uuid IS NULL OR e.input_id = $5)
      AND ($6::uuid IS NULL OR e.input_secret_id = $6)
      AND ($7 = 'stop' OR r.want IS DISTINCT FROM 'stop')
    RETURNING r.execution_id, r.worker_id, r.boot_id, r.cmd_seq),
  obeyed AS (
    UPDATE executions e SET action = CASE WHEN $7 = 'pause' THEN 'pause' ELSE 'start' END, updated_at = now()
    FROM told WHERE e.id = told.execution_id AND told.boot_id IS NULL AND $7 <> 'stop')
  SELECT * FROM told`;

@Injectable()
export class ControlsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endings: EndingsService,
    private readonly executions: ExecutionsService,
    private readonly connections: WorkerConnections,
    private readonly dispatcher: DispatcherService,
    private readonly events: ExecutionEvents,
  ) {}

  /**
   * Acts on every live run of the owner that matches.
   * @throws {ApiError} 400 without any id, 404 `no_live_run`, 422 `pause_not_available` when no worker of theirs can.
   */
  async command(ownerId: string, query: ControlQuery, cmd: Command): Promise<ExecutionDto[]> {
    if (!query.execution_id && !query.skript_id && !query.worker_id) {
      throw new ApiError('validation_failed', 'Say which run: execution_id, or skript_id, or worker_id.', [
        { field: 'execution_id', message: 'or skript_id or worker_id is needed' },
      ]);
    }
    const isAnyWorker = query.worker_id === undefined || query.worker_id === 'any';
    const rows = await this.dataSource.query<CommandedRow[]>(COMMAND, [
      ownerId,
      query.execution_id ?? null,
      query.skript_id ?? null,
      isAnyWorker ? null : query.worker_id,
      query.input_id ?? null,
      query.inputSecret_id ?? null,
      cmd,
    ]);
    if (rows.length === 0) throw new ApiError('no_live_run', 'No run that goes on matches these ids.');
    const ids = rows.map(row => row.execution_id);
    if (cmd === 'stop') await this.endings.endStoppedUnoffered(ids);
    const refusals = await Promise.all(rows.map(row => this.#send(row, cmd)));
    const [refusal] = refusals;
    if (refusal && refusals.every(text => text)) throw new ApiError('pause_not_available', pauseRefused(refusal));
    const executions = await this.executions.ofIds(ownerId, ids);
    if (cmd !== 'stop') this.#tell(ownerId, executions, rows);
    if (cmd === 'resume') void this.dispatcher.dispatchAll();
    return executions;
  }

  /** Why the worker will not; null when it will, or has not said. */
  async #send({ execution_id: id, worker_id, boot_id, cmd_seq }: CommandedRow, cmd: Command): Promise<string | null> {
    const link = worker_id && boot_id ? this.connections.get(worker_id) : undefined;
    return link ? this.dispatcher.command(link, { id, cmd, cmd_seq }) : null;
  }

  #tell(ownerId: string, executions: ExecutionDto[], rows: CommandedRow[]): void {
    const unoffered = new Set(rows.filter(row => row.boot_id === null).map(row => row.execution_id));
    for (const { id, worker, action, waiting_for, error_code, updated_at } of executions) {
      if (!unoffered.has(id)) continue;
      const change = { id, action, waiting_for, error_code, updated_at };
      this.events.changes.next({ ...change, owner_id: ownerId, worker_id: worker?.id ?? null });
    }
  }
}

const pauseRefused = (reason: string): string => `The worker cannot pause this run: ${reason} It goes on.`;
