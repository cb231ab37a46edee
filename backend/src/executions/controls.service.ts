import { Injectable } from '@nestjs/common';
import type { Command } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { ApiError } from '../common/errors.js';
import { WorkerConnections } from '../workers/worker-connections.js';
import { DispatcherService } from './dispatcher.service.js';
import { EndingsService } from './endings.service.js';
import type { ExecutionDto, StopQuery } from './executions.dto.js';
import { ExecutionsService } from './executions.service.js';

interface CommandedRow {
  execution_id: string;
  worker_id: string | null;
  boot_id: string | null;
  cmd_seq: number;
}

/** Commands to runs that go on. A command is committed first; until it has worked, the dispatcher sends it again. */
@Injectable()
export class ControlsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endings: EndingsService,
    private readonly executions: ExecutionsService,
    private readonly connections: WorkerConnections,
    private readonly dispatcher: DispatcherService,
  ) {}

  /**
   * Acts on every live run of the owner that matches.
   * @throws {ApiError} 400 without any id, 404 `no_live_run`.
   */
  async command(ownerId: string, query: StopQuery, cmd: Command): Promise<ExecutionDto[]> {
    if (!query.execution_id && !query.skript_id && !query.worker_id) {
      throw new ApiError('validation_failed', 'Say which run: execution_id, or skript_id, or worker_id.', [
        { field: 'execution_id', message: 'or skript_id or worker_id is needed' },
      ]);
    }
    const isAnyWorker = query.worker_id === undefined || query.worker_id === 'any';
    const [rows] = await this.dataSource.query<[CommandedRow[], number]>(
      `UPDATE live_runs r SET want = $7, cmd_seq = cmd_seq + 1 FROM executions e
       WHERE e.id = r.execution_id AND r.owner_id = $1
         AND ($2::uuid IS NULL OR r.execution_id = $2) AND ($3::uuid IS NULL OR e.skript_id = $3)
         AND ($4::uuid IS NULL OR r.worker_id = $4) AND ($5::uuid IS NULL OR e.input_id = $5)
         AND ($6::uuid IS NULL OR e.input_secret_id = $6)
       RETURNING r.execution_id, r.worker_id, r.boot_id, r.cmd_seq`,
      [
        ownerId,
        query.execution_id ?? null,
        query.skript_id ?? null,
        isAnyWorker ? null : query.worker_id,
        query.input_id ?? null,
        query.inputSecret_id ?? null,
        cmd,
      ],
    );
    if (rows.length === 0) throw new ApiError('no_live_run', 'No run that goes on matches these ids.');
    if (cmd === 'stop') await this.endings.endStoppedUnoffered(rows.map(row => row.execution_id));
    await Promise.all(rows.map(row => this.#send(row, cmd)));
    return this.executions.ofIds(
      ownerId,
      rows.map(row => row.execution_id),
    );
  }

  async #send({ execution_id: id, worker_id, boot_id, cmd_seq }: CommandedRow, cmd: Command): Promise<void> {
    const link = worker_id && boot_id ? this.connections.get(worker_id) : undefined;
    if (link) await this.dispatcher.command(link, { id, cmd, cmd_seq });
  }
}
