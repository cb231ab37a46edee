import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Cron, Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { stringify } from 'safe-stable-stringify';
import { DataSource } from 'typeorm';
import { CallersService } from '../auth/callers.service.js';
import type { WaitingCall } from '../auth/waiting-call.js';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { keyReused } from './idempotent.js';

/** A call is known to go on for so long after the backend that has it last said so. */
const UNDER_WAY_MS = 15_000;
const RENEWAL_MS = 4_000;
/** How often a repeated call looks whether the first is over. */
const LOOK_MS = 100;

/** SQL: a start has the key; those are kept with their runs. */
const OF_START = `EXISTS (
  SELECT 1 FROM start_keys s WHERE s.owner_id = $1::uuid AND s.key = $2::text AND s.created_at >= now() - interval '1 day')`;
/** What of an account is kept at once. What is under way counts when it is over. */
const MOST_KEYS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
const FULL_FOR_SECONDS = 3_600;

const IS_KEPT = `k.created_at >= now() - interval '1 day'`;
/** SQL: whether an account has room for one more; `octet_length` reads no answer. */
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
}

export interface KeptAnswer {
  status: number;
  body: unknown;
}

/** The key is this call's: it says how it ended, once. */
interface Claim {
  keep(answer: KeptAnswer): Promise<void>;
  /** The call has failed; the next one with the key begins anew. */
  release(): Promise<void>;
}

interface KeyRow {
  request: Buffer;
  status: number | null;
  answer_sealed: Buffer | null;
  cut_off: boolean;
}

/** Who came first with an idempotency key, and what was answered. Answers are sealed: some show a key that is shown once. */
@Injectable()
export class IdempotencyKeysService {
  readonly #underWay = new Set<KeyedCall>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
    private readonly callers: CallersService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Takes the key for this call, or waits for the end of the first call that has it.
   * @throws {ApiError} 401 when the caller's token or key ends meanwhile, 409 `idempotency_key_reused`, `conflict` when nobody knows how the first call ended.
   */
  async claim(call: KeyedCall, { token, closed }: WaitingCall): Promise<Claim | { kept: KeptAnswer }> {
    const request = this.#digest(call);
    for (;;) {
      if (await this.#take(call, request)) return this.#claimOf(call);
      const [first] = await this.dataSource.query<KeyRow[]>(
        `SELECT request, status, answer_sealed, under_way_until < now() AS cut_off
         FROM idempotency_keys k WHERE owner_id = $1 AND key = $2 AND ${IS_KEPT}`,
        [call.ownerId, call.key],
      );
      if (!first) {
        if (await this.#isOfStart(call)) throw keyReused();
        if (!(await this.#hasRoom(call.ownerId))) throw tooManyKept();
        continue;
      }
      if (!first.request.equals(request)) throw keyReused();
      if (first.status !== null) return { kept: { status: first.status, body: this.#open(call, first.answer_sealed) } };
      if (first.cut_off) throw outcomeUnknown();
      if (closed.aborted) throw new ApiError('service_unavailable', 'The caller has left.');
      await delay(LOOK_MS);
      await this.callers.checkStands(token);
    }
  }

  @Interval(RENEWAL_MS)
  async renew(): Promise<void> {
    if (this.#underWay.size === 0) return;
    const calls = [...this.#underWay];
    try {
      await this.dataSource.query(
        `UPDATE idempotency_keys k SET under_way_until = now() + $3 * interval '1 ms'
         FROM unnest($1::uuid[], $2::text[]) AS c(owner_id, key) WHERE k.owner_id = c.owner_id AND k.key = c.key`,
        [calls.map(({ ownerId }) => ownerId), calls.map(({ key }) => key), UNDER_WAY_MS],
      );
    } catch (error) {
      this.logger.warn({ err: error }, 'idempotency keys of calls under way could not be renewed; tried again soon');
    }
  }

  @Cron('29 * * * *')
  async removeOld(): Promise<void> {
    await this.dataSource.query(`DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'`);
  }

  /** One that is older than a day is as good as none, whether it has been removed yet or not. */
  async #take({ ownerId, key }: KeyedCall, request: Buffer): Promise<boolean> {
    const [taken] = await this.dataSource.query<unknown[]>(
      `INSERT INTO idempotency_keys AS k (owner_id, key, request, under_way_until)
       SELECT $1::uuid, $2::text, $3::bytea, now() + $4::integer * interval '1 ms'
       WHERE NOT ${OF_START} AND ${HAS_ROOM('$5', '$6')}
       ON CONFLICT (owner_id, key) DO UPDATE SET request = $3, status = NULL, answer_sealed = NULL,
         under_way_until = EXCLUDED.under_way_until, created_at = now()
       WHERE k.created_at < now() - interval '1 day' RETURNING key`,
      [ownerId, key, request, UNDER_WAY_MS, MOST_KEYS, MOST_BYTES],
    );
    return taken !== undefined;
  }

  async #isOfStart({ ownerId, key }: KeyedCall): Promise<boolean> {
    const [row] = await this.dataSource.query<{ is: boolean }[]>(`SELECT ${OF_START} AS is`, [ownerId, key]);
    return row?.is ?? false;
  }

  async #hasRoom(ownerId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ room: boolean }[]>(`SELECT ${HAS_ROOM('$2', '$3')} AS room`, [
      ownerId,
      MOST_KEYS,
      MOST_BYTES,
    ]);
    return row?.room ?? false;
  }

  #claimOf(call: KeyedCall): Claim {
    this.#underWay.add(call);
    const ended = async (sql: string, values: unknown[]) => {
      this.#underWay.delete(call);
      try {
        await this.dataSource.query(`${sql} WHERE owner_id = $1 AND key = $2`, [call.ownerId, call.key, ...values]);
      } catch (error) {
        // The caller gets its answer all the same; who repeats the call is told that its end is not known.
        this.logger.error({ err: error }, 'how a call with an idempotency key ended could not be kept');
      }
    };
    return {
      keep: ({ status, body }) =>
        ended('UPDATE idempotency_keys SET status = $3, answer_sealed = $4', [
          status,
          body === undefined ? null : this.secretBox.seal(JSON.stringify(body), rowOf(call)),
        ]),
      release: () => ended('DELETE FROM idempotency_keys', []),
    };
  }

  #open(call: KeyedCall, sealed: Buffer | null): unknown {
    return sealed === null ? undefined : JSON.parse(this.secretBox.open(sealed, rowOf(call)));
  }

  #digest({ method, url, body }: KeyedCall): Buffer {
    const text = Buffer.isBuffer(body) ? body.toString('base64') : (stringify(body) ?? '');
    return this.secretBox.digest('call', method, url, text);
  }
}

const rowOf = ({ ownerId, key }: KeyedCall): string => `${ownerId} ${key}`;

const tooManyKept = (): ApiError =>
  new ApiError(
    'quota_exceeded',
    `The answers kept for your Idempotency-Keys are more than ${MOST_KEYS}, or ${MOST_BYTES} bytes together. Each is kept for a day: call without a key, or later.`,
    undefined,
    FULL_FOR_SECONDS,
  );

const outcomeUnknown = (): ApiError =>
  new ApiError(
    'conflict',
    'The first call with this Idempotency-Key was cut off on our side, and whether it did its work is not known. Look whether what you wanted is there; if not, call again with a new key.',
  );
