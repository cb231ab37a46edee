import { Injectable } from '@nestjs/common';
import type { Command } from '@trawl/contracts';
import { filter, firstValueFrom, map, merge, type Observable, ReplaySubject, timer } from 'rxjs';
import { ApiError } from '../../../platform/common/errors.js';
import { WorkerConnections } from '../../workers/connections/worker-connections.service.js';
import { EndingsService } from '../end/endings.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import type { ControlQuery, ExecutionDto } from '../records/executions.dto.js';
import { ExecutionsService } from '../records/executions.service.js';
import { CommandSenderService } from './command-sender.service.js';
import { type CommandedRow, LiveRunsRepository } from './live-runs.repository.js';
import { ReconciliationService } from './reconciliation.service.js';

/** How long a call waits until another backend's worker has carried out a pause or resume. */
const OTHER_BACKEND_MS = 3_000;

/** Stops, pauses and resumes live runs for the API. */
@Injectable()
export class RunControlsService {
  constructor(
    private readonly liveRuns: LiveRunsRepository,
    private readonly endings: EndingsService,
    private readonly executions: ExecutionsService,
    private readonly connections: WorkerConnections,
    private readonly commands: CommandSenderService,
    private readonly reconciliation: ReconciliationService,
    private readonly events: ExecutionEvents,
  ) {}

  /**
   * Sends a command to every live run of the owner that matches the query.
   * @throws {ApiError} 400 without any id, 404 `no_live_run`, 422 `pause_not_available` if every worker refuses.
   */
  async command(ownerId: string, query: ControlQuery, cmd: Command): Promise<ExecutionDto[]> {
    if (!query.execution_id && !query.skript_id && !query.worker_id) {
      throw new ApiError('validation_failed', 'Specify the runs: send execution_id, skript_id or worker_id.', [
        { field: 'execution_id', message: 'send execution_id, skript_id or worker_id' },
      ]);
    }
    // Listen before the command is written. Otherwise the answer of another backend's worker could be missed.
    const changed = new ReplaySubject<string>();
    const listening = this.events.changes
      .pipe(
        filter(change => change.owner_id === ownerId),
        map(({ id }) => id),
      )
      .subscribe(changed);
    try {
      return await this.#command(ownerId, query, cmd, changed);
    } finally {
      listening.unsubscribe();
    }
  }

  async #command(
    ownerId: string,
    query: ControlQuery,
    cmd: Command,
    changed: Observable<string>,
  ): Promise<ExecutionDto[]> {
    const rows = await this.liveRuns.command(ownerId, filterOf(query), cmd);
    if (rows.length === 0) throw new ApiError('no_live_run', 'No live run matches these ids.');
    const ids = rows.map(row => row.execution_id);
    if (cmd === 'stop') await this.endings.endStoppedUnoffered(ids);
    const refusals = await Promise.all(rows.map(row => this.#send(row, cmd, changed)));
    const [refusal] = refusals;
    if (refusal && refusals.every(text => text)) throw new ApiError('pause_not_available', pauseRefused(refusal));
    const executions = await this.executions.ofIds(ownerId, ids);
    if (cmd !== 'stop') this.#publish(ownerId, executions, rows);
    if (cmd === 'resume') void this.reconciliation.reconcileAll();
    return executions;
  }

  /**
   * Sends a command to the worker of a run, or waits until the backend that is connected to the worker has done so.
   * Returns why the worker refuses it; null if the worker obeys or has not answered.
   */
  async #send(row: CommandedRow, cmd: Command, changed: Observable<string>): Promise<string | null> {
    const { execution_id: id, worker_id, boot_id, cmd_seq } = row;
    if (!worker_id || !boot_id) return null;
    const link = this.connections.get(worker_id);
    if (link) return this.commands.send(link, { id, cmd, cmd_seq });
    // Another backend sends a stop too, but the worker does not acknowledge it.
    if (cmd === 'stop' || !row.is_connected) return null;
    await firstValueFrom(merge(changed.pipe(filter(changedId => changedId === id)), timer(OTHER_BACKEND_MS)));
    return this.liveRuns.refusalOf(row);
  }

  /**
   * Publishes the changes of runs without a worker. The change of a run on a worker is published later, when the worker
   * acknowledges the command.
   */
  #publish(ownerId: string, executions: ExecutionDto[], rows: CommandedRow[]): void {
    const unoffered = new Set(rows.filter(row => row.boot_id === null).map(row => row.execution_id));
    for (const { id, worker, action, waiting_for, error_code, updated_at } of executions) {
      if (!unoffered.has(id)) continue;
      const change = { id, action, waiting_for, error_code, updated_at };
      this.events.publish({ ...change, owner_id: ownerId, worker_id: worker?.id ?? null });
    }
  }
}

const filterOf = (query: ControlQuery) => ({
  executionId: query.execution_id ?? null,
  skriptId: query.skript_id ?? null,
  workerId: query.worker_id === undefined || query.worker_id === 'any' ? null : query.worker_id,
  inputId: query.input_id ?? null,
  inputSecretId: query.inputSecret_id ?? null,
});

const pauseRefused = (reason: string): string => `The worker cannot pause this run: ${reason} The run continues.`;
