import { Injectable } from '@nestjs/common';
import { isLive } from '@trawl/contracts';
import type { SessionUser } from '../../../../platform/auth/current-user.js';
import type { WaitingCall } from '../../../../platform/auth/waiting-call.js';
import { MemoizedLookups } from '../../../../platform/common/batching/shared-lookups.js';
import { ApiError } from '../../../../platform/common/errors.js';
import { WaitsService } from '../../records/waits.service.js';
import type { StartRequest } from '../prepared-start.js';
import type { StartQuery } from '../start.dto.js';
import { StartKeysService } from '../start-keys.service.js';
import { defaultWaitMs, optionsOf, valueOrId } from '../start-options.js';
import { StartPreparation } from '../start-preparation.service.js';
import { StartsService } from '../starts.service.js';
import type { MultiStartDto, MultiStartResultDto } from './multi-worker.dto.js';

interface CallContext {
  key: string | undefined;
  requestId: string;
  call: WaitingCall;
}

interface MultiStart extends MultiStartResultDto {
  /** True if an earlier call with the same idempotency key has started at least one of the runs. */
  isJoined: boolean;
}

/** Starts a skript on several workers. Each worker gets its own start, which has its own result. */
@Injectable()
export class MultiWorkerService {
  constructor(
    private readonly preparation: StartPreparation,
    private readonly starts: StartsService,
    private readonly startKeys: StartKeysService,
    private readonly waits: WaitsService,
  ) {}

  /**
   * @throws {ApiError} 404 or 422 if the skript itself cannot start, 409 `idempotency_key_reused`.
   */
  async start(
    user: SessionUser,
    query: StartQuery,
    body: MultiStartDto,
    { key, requestId, call }: CallContext,
  ): Promise<MultiStart> {
    if (key !== undefined) await this.startKeys.claimForMany(user.id, key, { ...body, ...optionsOf(query) });
    const requests = body.worker_ids.map(workerId => requestOf(workerId, query, body, key));
    const shared = new MemoizedLookups();
    // This throws if the skript itself cannot be started, no matter on which worker.
    await this.preparation.skript(user.id, requests[0] as StartRequest, shared);
    const started = await this.starts.startAll(user, requests, shared);
    const results = await Promise.all(
      started.map(async (run, index) => {
        const worker_id = body.worker_ids[index] as string;
        if (run instanceof ApiError) return { worker_id, status: run.status, error: bodyOf(run, requestId) };
        const wait = { id: run.id, followsRetries: run.retries > 0, isNew: !run.isJoined };
        const execution = await this.waits.forEnd(user.id, wait, query.wait_ms ?? defaultWaitMs(run), call);
        return { worker_id, status: isLive(execution.action) ? 202 : 200, execution };
      }),
    );
    return {
      going_on: results.filter(({ status }) => status === 202).length,
      results,
      isJoined: started.some(run => !(run instanceof ApiError) && run.isJoined),
    };
  }
}

const requestOf = (
  workerId: string,
  query: StartQuery,
  body: MultiStartDto,
  key: string | undefined,
): StartRequest => ({
  workerId,
  skriptId: body.skript_id,
  ...optionsOf(query),
  // The key contains a space. Clients cannot send such a key, so it never equals a key of a client.
  ...(key === undefined ? {} : { idempotencyKey: `${key} ${workerId}` }),
  input: valueOrId(body, 'input', 'input_id'),
  inputSecret: valueOrId(body, 'inputSecret', 'inputSecret_id'),
});

const bodyOf = ({ code, message, details }: ApiError, request_id: string) => ({
  error_message: message,
  error_code: code,
  ...(details === undefined ? {} : { details }),
  request_id,
});
