import { Injectable } from '@nestjs/common';
import type { SessionUser } from '../../../platform/auth/current-user.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { ExecutionsService } from '../records/executions.service.js';
import type { StartedRun } from '../start/prepared-start.js';
import { StartsService } from '../start/starts.service.js';
import type { ReplayDto } from './recordings.dto.js';

/** Starts replays of recorded runs. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly starts: StartsService,
  ) {}

  /**
   * Starts a replay with the input of the recorded run.
   *
   * @throws {ApiError} 404 for a run of another user or without a record; what a start throws.
   */
  async start(
    user: Pick<SessionUser, 'id'>,
    id: string,
    { on_miss, version, worker_id, ...values }: ReplayDto,
    idempotencyKey: string | undefined,
  ): Promise<StartedRun> {
    const { skript, record, input, input_value, inputSecret } = await this.executions.get(user.id, id);
    if (!record) throw notFound('record of the run', id);
    if (record.bytes === 0) throw new ApiError('conflict', `The run has no record. ${record.problem}`);
    const savedInput = input && { id: input.id };
    const keptInput = input_value === null || input_value === undefined ? savedInput : { value: input_value };
    return this.starts.start(user, {
      workerId: worker_id,
      skriptId: skript.id,
      force: true,
      retries: 0,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      input: values.input === undefined ? keptInput : { value: values.input },
      inputSecret:
        values.inputSecret === undefined ? inputSecret && { id: inputSecret.id } : { value: values.inputSecret },
      replay: { of: id, on_miss },
      ...(version !== undefined && { version }),
    });
  }
}
