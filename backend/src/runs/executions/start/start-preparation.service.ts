import { Inject, Injectable } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import { traceparent } from '@trawl/tracing';
import { stringify } from 'safe-stable-stringify';
import { v7 as uuidv7 } from 'uuid';
import { CoalescedLookups, type Lookups } from '../../../platform/common/batching/shared-lookups.js';
import { BACKEND_ID } from '../../../platform/common/config.js';
import { ApiError } from '../../../platform/common/errors.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { BundlesService, type RunnableSkript } from '../../skripts/bundles/bundles.service.js';
import { InputSecretsService } from '../../skripts/inputs/input-secrets.service.js';
import { InputsService } from '../../skripts/inputs/inputs.service.js';
import { WorkersRepository } from '../../workers/workers.repository.js';
import type { RunPayload } from '../dispatch/offered-run.js';
import { isSmall, type PreparedStart, type StartRequest, type Value } from './prepared-start.js';
import { StartCache, type StartLookups } from './start-cache.js';
import { StartTargets, type Target } from './start-targets.service.js';

/** Looks up everything a start needs before its insert, and reserves a slot on its worker. */
@Injectable()
export class StartPreparation {
  readonly #lookups = new CoalescedLookups();
  readonly #cache = new StartCache();

  constructor(
    private readonly bundles: BundlesService,
    private readonly inputs: InputsService,
    private readonly inputSecrets: InputSecretsService,
    private readonly workers: WorkersRepository,
    private readonly targets: StartTargets,
    private readonly secretBox: SecretBox,
    @Inject(BACKEND_ID) private readonly backendId: string,
  ) {}

  /**
   * @param shared lookups that are shared with other starts prepared at the same moment.
   * @throws {ApiError} as `StartsService.start` does.
   */
  async prepare(ownerId: string, request: StartRequest, shared: Lookups = this.#lookups): Promise<PreparedStart> {
    const skript = await this.skript(ownerId, request, shared);
    const candidates = await shared.once(`workers ${ownerId} ${request.workerId}`, () =>
      this.workers.candidates(ownerId, request.workerId),
    );
    const start = await this.#prepareFrom(ownerId, request, { skript, candidates });
    if (skript.version !== null && start.target.link && request.version === undefined)
      this.#cache.set(ownerId, request, { skript, candidates });
    return start;
  }

  /**
   * Looks up the skript of a start.
   * @throws {ApiError} as `BundlesService.ensure` does.
   */
  skript(ownerId: string, request: StartRequest, shared: Lookups): Promise<RunnableSkript> {
    const { version } = request;
    if (version !== undefined) return this.bundles.ofVersion(ownerId, request.skriptId, version);
    const caller = request.scheduleId === undefined ? 'start' : 'schedule';
    return shared.once(`skript ${ownerId} ${request.skriptId}`, () =>
      this.bundles.ensure(ownerId, request.skriptId, caller),
    );
  }

  /**
   * Prepares a start from the cached lookups of a recent start. Returns null if the run could not begin at once with
   * them; then prepare it with `prepare`.
   */
  async prepareFromCache(ownerId: string, request: StartRequest): Promise<PreparedStart | null> {
    const cached = this.#cache.get(ownerId, request);
    if (!cached || request.idempotencyKey !== undefined || request.version !== undefined) return null;
    // If this throws, the cached lookups may be outdated, so the caller must prepare the start with new lookups.
    const start = await this.#prepareFrom(ownerId, request, cached).catch(() => null);
    const { version } = cached.skript;
    if (start?.target.link && version !== null && isSmall(start)) {
      return { ...start, expected: { skriptVersion: version, workerKey: start.target.link.keyHash } };
    }
    if (start) this.release(start);
    return null;
  }

  /** Notes that the run has started which the skript records with `next`. */
  recordedNext(skriptId: string): Promise<void> {
    return this.bundles.recordedNext(skriptId);
  }

  /** Frees the reserved slot of a start that was not inserted. */
  release({ id, target }: PreparedStart): void {
    target.link?.reserved.delete(id);
  }

  async #prepareFrom(
    ownerId: string,
    request: StartRequest,
    { skript, candidates }: StartLookups,
  ): Promise<PreparedStart> {
    const input = await this.#value(request.input, id => this.inputs.stored(ownerId, skript.id, id), 'input');
    const inputSecret = await this.#value(
      request.inputSecret,
      id => this.inputSecrets.stored(ownerId, skript.id, id),
      'inputSecret',
    );
    const chosen = await this.targets.choose(ownerId, request.workerId, skript.environment, candidates);
    const isBuilt = skript.bundleHash !== null;
    const target = isBuilt ? chosen : unbuilt(request);
    const id = uuidv7();
    // Reserved before the commit, so that two concurrent starts do not take the same slot.
    target.link?.reserved.set(id, ownerId);
    const attempts = {
      timeoutMs: request.timeoutMs ?? skript.time_limit_ms,
      retries: request.retries ?? skript.retries,
      retryDelayMs: request.retryDelayMs ?? skript.retry_delay_ms,
    };
    const [liveKey, otherLiveKey] = this.secretBox.digests(
      'live run',
      ownerId,
      request.workerId,
      skript.id,
      input ? canonical(input.json) : '',
      inputSecret ? canonical(inputSecret.json) : '',
    ) as [Buffer, Buffer?];
    const parent = traceparent();
    const values: RunPayload = {
      input: input?.json ?? null,
      inputSecret: inputSecret?.json ?? null,
      ...(isRecorded(request, skript) && { record: true }),
      ...(request.replay && { replay: request.replay }),
      ...(parent !== undefined && { traceparent: parent }),
    };
    const payload = this.secretBox.seal(JSON.stringify(values), id);
    return {
      id,
      ownerId,
      request,
      skript,
      attempts,
      target,
      builder: isBuilt ? null : this.backendId,
      input,
      inputSecret,
      liveKey,
      otherLiveKey,
      values,
      payload,
    };
  }

  async #value(
    value: StartRequest['input'],
    stored: (id: string) => Promise<{ id: string; name: string; json: string }>,
    field: string,
  ): Promise<Value | null> {
    if (value === null) return null;
    if ('id' in value) return stored(value.id);
    const json = JSON.stringify(value.value);
    const bytes = Buffer.byteLength(json);
    if (bytes > LIMITS.inputBytes) {
      throw new ApiError(
        'payload_too_large',
        `\`${field}\` must be at most ${LIMITS.inputBytes} bytes of JSON; you sent ${bytes}.`,
      );
    }
    return { id: null, name: null, json };
  }
}

/** A replay has its exchanges from a record already. */
const isRecorded = ({ record, replay }: StartRequest, skript: RunnableSkript): boolean =>
  replay === undefined && (record === true || skript.record !== 'off');

const unbuilt = ({ workerId }: StartRequest): Target => ({
  workerId: workerId === 'any' ? null : workerId,
  boot: null,
  link: null,
  waiting: 'libraries_resolving',
});

/** Returns the same text for equal JSON values, even if the order of their keys differs. */
const canonical = (json: string): string => stringify(JSON.parse(json)) ?? '';
