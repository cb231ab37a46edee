import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { type KeyScope, SHARES } from '@trawl/contracts';
import type { Logger } from 'pino';
import { stringify } from 'safe-stable-stringify';
import { DataSource } from 'typeorm';
import { TokenResolver } from '../auth/tokens/token-resolver.service.js';
import type { WaitingCall } from '../auth/waiting-call.js';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.service.js';
import { Cleanups } from '../database/cleanups.service.js';
import { keyReused } from './idempotent.js';

/**
 * While a call is in progress, its backend keeps renewing it. Without a renewal for this long, the call counts as
 * interrupted.
 */
const IN_PROGRESS_MS = 15_000;
const RENEWAL_INTERVAL_MS = 4_000;
/** How often a repeated call checks whether the first one has ended. */
const POLL_MS = 100;

/** SQL condition: a start has used the key. Starts store their keys in another table. */
const USED_BY_START = `EXISTS (
  SELECT 1 FROM start_keys s WHERE s.owner_id = $1::uuid AND s.key = $2::text AND s.created_at >= now() - interval '1 day')`;
/** Limits on the number and size of the stored responses of an account. */
const MAX_KEYS = SHARES.idempotencyKeys;
const MAX_BYTES = 16 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 3_600;

const IS_KEPT = `k.created_at >= now() - interval '1 day'`;
/**
 * Returns an SQL condition: the account is below its limits. `octet_length` is fast, because it does not need to read
 * the stored responses.
 */
const HAS_ROOM = (keys: string, bytes: string): string =>
  `(SELECT count(*) < ${keys} AND coalesce(sum(octet_length(k.answer_sealed)), 0) < ${bytes}
  FROM idempotency_keys k WHERE k.owner_id = $1 AND ${IS_KEPT})`;

export interface KeyedCall {
  ownerId: string;
  key: string;
  method: string;
  url: string;
  /** Parsed JSON, or bytes. */
  body: unknown;
  /** Scope of the caller's API key. Some routes check it only after this service answers a repeated call. */
  scope: KeyScope;
}

export interface StoredResponse {
  status: number;
  body: unknown;
}

/** The right of the first call with a key to be carried out. When that call has ended, use one of the methods. */
interface Claim {
  /** Stores the response for repeated calls. */
  store(response: StoredResponse): Promise<void>;
  /** Frees the key after a failure, so that the next call with it runs. */
  release(): Promise<void>;
  /** Refuses further calls with the key with `conflict`, because this call may have taken effect. */
  abandon(): Promise<void>;
}

interface KeyRow {
  request: Buffer;
  status: number | null;
  answer_sealed: Buffer | null;
  cut_off: boolean;
}

/**
 * Claims idempotency keys and stores responses for repeated calls. Responses are encrypted, because some contain a key
 * that is shown only once.
 * See docs/decisions/0057-start-keys-and-waits.md.
 */
@Injectable()
export class IdempotencyKeysService implements OnModuleInit {
  readonly #inProgress = new Set<KeyedCall>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
    private readonly tokens: TokenResolver,
    private readonly cleanups: Cleanups,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('idempotency keys', 'hourly', () => this.removeOld());
  }

  /**
   * Claims the key for this call, or waits for the response of the first call that has it.
   * @throws {ApiError} 401 when the caller's token becomes invalid during the wait; 409 `idempotency_key_reused`, or
   *   `conflict` when the outcome of the first call is unknown; 429 `quota_exceeded`.
   */
  async claim(call: KeyedCall, { token, closed }: WaitingCall): Promise<Claim | { stored: StoredResponse }> {
    const requests = this.#digests(call);
    for (;;) {
      if (await this.#take(call, requests[0] as Buffer)) return this.#claimOf(call);
      const [first] = await this.dataSource.query<KeyRow[]>(
        `SELECT request, status, answer_sealed, under_way_until < now() AS cut_off
         FROM idempotency_keys k WHERE owner_id = $1 AND key = $2 AND ${IS_KEPT}`,
        [call.ownerId, call.key],
      );
      if (!first) {
        if (await this.#isUsedByStart(call)) throw keyReused();
        if (!(await this.#hasRoom(call.ownerId))) throw tooManyKeys();
        continue;
      }
      if (!requests.some(request => first.request.equals(request))) throw keyReused();
      if (first.status !== null)
        return { stored: { status: first.status, body: this.#open(call, first.answer_sealed) } };
      if (first.cut_off) throw outcomeUnknown();
      if (closed.aborted) throw new ApiError('service_unavailable', 'The client disconnected.');
      await delay(POLL_MS);
      await this.tokens.assertValid(token);
    }
  }

  @Interval(RENEWAL_INTERVAL_MS)
  async renew(): Promise<void> {
    if (this.#inProgress.size === 0) return;
    const calls = [...this.#inProgress];
    try {
      await this.dataSource.query(
        `UPDATE idempotency_keys k SET under_way_until = now() + $3 * interval '1 ms'
         FROM unnest($1::uuid[], $2::text[]) AS c(owner_id, key) WHERE k.owner_id = c.owner_id AND k.key = c.key`,
        [calls.map(({ ownerId }) => ownerId), calls.map(({ key }) => key), IN_PROGRESS_MS],
      );
    } catch (error) {
      this.logger.warn({ err: error }, 'failed to renew idempotency keys of calls in progress; retrying');
    }
  }

  async removeOld(): Promise<void> {
    await this.dataSource.query(`DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'`);
  }

  /**
   * Stores the key for this call. Returns false if the key is already used, or if the account has too many keys. A key
   * older than a day counts as unused, even if it has not been removed yet.
   */
  async #take({ ownerId, key }: KeyedCall, request: Buffer): Promise<boolean> {
    const [taken] = await this.dataSource.query<unknown[]>(
      `INSERT INTO idempotency_keys AS k (owner_id, key, request, under_way_until)
       SELECT $1::uuid, $2::text, $3::bytea, now() + $4::integer * interval '1 ms'
       WHERE NOT ${USED_BY_START} AND ${HAS_ROOM('$5', '$6')}
       ON CONFLICT (owner_id, key) DO UPDATE SET request = $3, status = NULL, answer_sealed = NULL,
         under_way_until = EXCLUDED.under_way_until, created_at = now()
       WHERE k.created_at < now() - interval '1 day' RETURNING key`,
      [ownerId, key, request, IN_PROGRESS_MS, MAX_KEYS, MAX_BYTES],
    );
    return taken !== undefined;
  }

  async #isUsedByStart({ ownerId, key }: KeyedCall): Promise<boolean> {
    const [row] = await this.dataSource.query<{ is: boolean }[]>(`SELECT ${USED_BY_START} AS is`, [ownerId, key]);
    return row?.is ?? false;
  }

  async #hasRoom(ownerId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ room: boolean }[]>(`SELECT ${HAS_ROOM('$2', '$3')} AS room`, [
      ownerId,
      MAX_KEYS,
      MAX_BYTES,
    ]);
    return row?.room ?? false;
  }

  #claimOf(call: KeyedCall): Claim {
    this.#inProgress.add(call);
    const ended = async (sql: string, values: unknown[]) => {
      this.#inProgress.delete(call);
      try {
        await this.dataSource.query(`${sql} WHERE owner_id = $1 AND key = $2`, [call.ownerId, call.key, ...values]);
      } catch (error) {
        // Do not throw: this call still gets its response. A repeated call will get `conflict`, because the outcome is
        // unknown.
        this.logger.error({ err: error }, 'failed to store the outcome of a call with an idempotency key');
      }
    };
    return {
      store: ({ status, body }) =>
        ended('UPDATE idempotency_keys SET status = $3, answer_sealed = $4', [
          status,
          body === undefined ? null : this.secretBox.seal(JSON.stringify(body), rowOf(call)),
        ]),
      release: () => ended('DELETE FROM idempotency_keys', []),
      abandon: () => ended('UPDATE idempotency_keys SET under_way_until = now()', []),
    };
  }

  #open(call: KeyedCall, sealed: Buffer | null): unknown {
    return sealed === null ? undefined : JSON.parse(this.secretBox.open(sealed, rowOf(call)));
  }

  #digests({ method, url, body, scope }: KeyedCall): Buffer[] {
    const text = Buffer.isBuffer(body) ? body.toString('base64') : (stringify(body) ?? '');
    return this.secretBox.digests('call', method, url, text, ...(scope === 'all' ? [] : [scope]));
  }
}

const rowOf = ({ ownerId, key }: KeyedCall): string => `${ownerId} ${key}`;

const tooManyKeys = (): ApiError =>
  new ApiError(
    'quota_exceeded',
    `Your stored responses for Idempotency-Keys reached the limit of ${MAX_KEYS} keys or ${MAX_BYTES} bytes. Each expires after a day. Call without a key, or try again later.`,
    undefined,
    RETRY_AFTER_SECONDS,
  );

const outcomeUnknown = (): ApiError =>
  new ApiError(
    'conflict',
    'The first call with this Idempotency-Key was interrupted on our side, and its result is unknown. Check whether it took effect. If not, call again with a new key.',
  );
