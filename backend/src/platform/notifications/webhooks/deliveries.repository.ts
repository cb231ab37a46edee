import { Injectable } from '@nestjs/common';
import type { DeliveryState } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { deleteInBatches } from '../../common/sql/delete-in-batches.js';
import { recordEvents } from '../record-events.js';

/** Delays before the second and later attempts, in seconds. After the last one the delivery has failed. */
const BACKOFF_S = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
/** Each delay is up to this share longer, so that deliveries which failed together do not return together. */
const JITTER = 0.2;
/**
 * A delivery in progress is taken again after this time, because its backend may have been killed. Longer than an
 * attempt may take.
 */
const CLAIM_S = 60;
/** A webhook that fails for this long, and at least so many times, is disabled. A jump of the clock alone does not. */
const MAX_FAILING_DAYS = 3;
const MIN_FAILURES = 10;

/** A webhook with more pending deliveries is disabled, because its receiver does not keep up. */
export const MAX_PENDING = 10_000;
/** Number of deliveries of a webhook that the log keeps. */
export const MAX_KEPT = 10_000;

/** SQL on `webhook_deliveries p`, `webhook_endpoints e` and `users u`: a delivery that is due. */
const DUE = `webhook_deliveries p JOIN webhook_endpoints e ON e.id = p.webhook_id AND e.enabled
    JOIN users u ON u.id = p.owner_id AND u.disabled_at IS NULL
  WHERE p.state = 'pending' AND p.next_attempt_at <= now()`;

/** SQL on `webhook_deliveries d` and `webhook_endpoints w`: the columns of `SignableDelivery`. */
const SIGNABLE = `d.id, d.webhook_id, d.payload::text AS body, w.secret, now() AS now,
  CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret`;

/** SQL expression: whether a delivery is due. */
export const IS_DELIVERY_DUE = `EXISTS (SELECT FROM ${DUE})`;

/** Fields from which a delivery is signed. */
export interface SignableDelivery {
  id: string;
  webhook_id: string;
  /** The body, as the receiver gets it. */
  body: string;
  secret: Buffer;
  /** Null if it is not valid any more. */
  previous_secret: Buffer | null;
  /** Time of PostgreSQL's clock, for the signature. */
  now: Date;
}

/** A delivery that this backend sends now. */
export interface ClaimedDelivery extends SignableDelivery {
  owner_id: string;
  attempts: number;
  url: string;
}

export interface Attempt {
  status: number | null;
  body: string | null;
  durationMs: number | null;
  /** Null if the attempt succeeded. */
  error: string | null;
}

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event: string;
  payload: object;
  state: DeliveryState;
  attempts: number;
  next_attempt_at: Date | null;
  response_status: number | null;
  response_body: string | null;
  duration_ms: number | null;
  error: string | null;
  created_at: Date;
  updated_at: Date;
}

/** SQL statements on `webhook_deliveries`. All times are PostgreSQL's, so a backend with a wrong clock does no harm. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Takes the delivery that has been due for longest, except those of busy accounts and webhooks. Its fields about the last attempt
   * are null until this attempt has a result.
   */
  async claim(busy: { owners: string[]; webhooks: string[] }): Promise<ClaimedDelivery | undefined> {
    const [rows] = await this.dataSource.query<[ClaimedDelivery[], number]>(
      `UPDATE webhook_deliveries d
       SET attempts = d.attempts + 1, next_attempt_at = now() + interval '${CLAIM_S} s', updated_at = now(),
         response_status = NULL, response_body = NULL, duration_ms = NULL, error = NULL
       FROM webhook_endpoints w
       WHERE w.id = d.webhook_id AND d.id = (
         SELECT p.id FROM ${DUE} AND p.owner_id <> ALL($1::uuid[]) AND p.webhook_id <> ALL($2::uuid[])
         ORDER BY p.next_attempt_at LIMIT 1 FOR UPDATE OF p SKIP LOCKED)
       RETURNING d.owner_id, d.attempts, w.url, ${SIGNABLE}`,
      [busy.owners, busy.webhooks],
    );
    return rows[0];
  }

  async succeed({ id, webhook_id }: ClaimedDelivery, attempt: Attempt): Promise<void> {
    await this.dataSource.transaction(async manager => {
      // The webhook is locked before its deliveries, as in `fail`, so that no deadlock occurs.
      await manager.query(
        'UPDATE webhook_endpoints SET failing_since = NULL, failures = 0 WHERE id = $1 AND failing_since IS NOT NULL',
        [webhook_id],
      );
      await this.#write(manager, id, attempt, 'delivered', null);
    });
  }

  /**
   * Writes a failed attempt, and disables the webhook if it has failed for days.
   * @param disable why to disable the webhook at once.
   */
  async fail(delivery: ClaimedDelivery, attempt: Attempt, disable: string | null): Promise<void> {
    const { id, webhook_id, attempts } = delivery;
    const delay = disable === null ? BACKOFF_S[attempts - 1] : undefined;
    await this.dataSource.transaction(async manager => {
      const [rows] = await manager.query<[{ is_given_up: boolean }[], number]>(
        `UPDATE webhook_endpoints SET failures = failures + 1, failing_since = COALESCE(failing_since, now())
         WHERE id = $1 RETURNING failing_since < now() - interval '${MAX_FAILING_DAYS} days' AND failures >= ${MIN_FAILURES} AS is_given_up`,
        [webhook_id],
      );
      const jittered = delay === undefined ? null : delay * (1 + Math.random() * JITTER);
      await this.#write(manager, id, attempt, jittered === null ? 'failed' : 'pending', jittered);
      const givenUp = `Every delivery failed for ${MAX_FAILING_DAYS} days. The last failure: ${attempt.error}`;
      const reason = disable ?? (rows[0]?.is_given_up ? givenUp : null);
      if (reason !== null) await disableWebhook(manager, webhook_id, reason);
    });
  }

  async #write(
    manager: EntityManager,
    id: string,
    { status, body, durationMs, error }: Attempt,
    state: DeliveryState,
    delaySeconds: number | null,
  ): Promise<void> {
    await manager.query(
      `UPDATE webhook_deliveries SET state = $2, next_attempt_at = now() + $3 * interval '1 s', response_status = $4,
         response_body = $5, duration_ms = $6, error = $7, updated_at = now()
       WHERE id = $1 AND state = 'pending'`,
      [id, state, delaySeconds, status, body, durationMs, error],
    );
  }

  /** Adds a delivery of the event `test`, which no webhook can choose. */
  async addTest(webhookId: string, ownerId: string): Promise<DeliveryRow> {
    const [row] = await this.dataSource.query<DeliveryRow[]>(
      `INSERT INTO webhook_deliveries (webhook_id, owner_id, event, payload)
       VALUES ($1, $2, 'test', json_build_object('type', 'test', 'timestamp', iso_time(now()), 'data', '{}'::json))
       RETURNING *`,
      [webhookId, ownerId],
    );
    return row as DeliveryRow;
  }

  /** Makes a delivery due now, with all its attempts. Returns nothing if the webhook has no such delivery. */
  async resend(webhookId: string, id: string): Promise<DeliveryRow | undefined> {
    const [rows] = await this.dataSource.query<[DeliveryRow[], number]>(
      `UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_attempt_at = now(), updated_at = now()
       WHERE id = $2 AND webhook_id = $1 RETURNING *`,
      [webhookId, id],
    );
    return rows[0];
  }

  async find(webhookId: string, id: string): Promise<DeliveryRow | undefined> {
    const [row] = await this.dataSource.query<DeliveryRow[]>(
      'SELECT * FROM webhook_deliveries WHERE id = $2 AND webhook_id = $1',
      [webhookId, id],
    );
    return row;
  }

  /** Finds what a new signature of a delivery needs. */
  async findSignable(webhookId: string, id: string): Promise<SignableDelivery | undefined> {
    const [row] = await this.dataSource.query<SignableDelivery[]>(
      `SELECT ${SIGNABLE} FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.webhook_id
       WHERE d.id = $2 AND d.webhook_id = $1`,
      [webhookId, id],
    );
    return row;
  }

  /** Deletes the deliveries of a deleted webhook, some at a time. */
  async deleteOf(webhookId: string): Promise<number> {
    return this.#delete('t.webhook_id = $1', [webhookId]);
  }

  /** Disables webhooks with too many pending deliveries. */
  async disableOverfull(): Promise<void> {
    const overfull = await this.dataSource.query<{ id: string }[]>(
      `SELECT webhook_id AS id FROM webhook_deliveries WHERE state = 'pending' GROUP BY webhook_id HAVING count(*) > $1`,
      [MAX_PENDING],
    );
    const reason = `More than ${MAX_PENDING} deliveries waited, because the receiver was too slow or failed.`;
    for (const { id } of overfull) {
      await this.dataSource.transaction(manager => disableWebhook(manager, id, reason));
    }
  }

  /**
   * Deletes deliveries that are older than `days`, the oldest of webhooks with very many, those whose webhook was deleted
   * with its account, and those that wait although an administrator has disabled their account.
   */
  async deleteOld(days: number): Promise<void> {
    const full = await this.dataSource.query<{ id: string; since: Date }[]>(
      `SELECT w.id, first.created_at AS since FROM webhook_endpoints w CROSS JOIN LATERAL (
         SELECT created_at FROM webhook_deliveries d WHERE d.webhook_id = w.id
         ORDER BY created_at DESC, id DESC OFFSET ${MAX_KEPT - 1} LIMIT 1) first`,
    );
    for (const { id, since } of full) {
      await this.#delete(`t.webhook_id = $1 AND t.created_at < $2 AND t.state <> 'pending'`, [id, since]);
    }
    await this.#delete(`t.created_at < now() - $1 * interval '1 day'`, [days]);
    await this.#delete(
      `t.state = 'pending' AND t.owner_id IN (SELECT id FROM users WHERE disabled_at IS NOT NULL)`,
      [],
    );
    await this.#delete('NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.id = t.webhook_id)', []);
  }

  /** Brings back attempts that are due later than any delay allows, because the clock was ahead when they were planned. */
  async repairTimes(): Promise<void> {
    const longest = Math.max(...BACKOFF_S) * (1 + JITTER);
    await this.dataSource.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now()
       WHERE state = 'pending' AND next_attempt_at > now() + $1 * interval '1 s'`,
      [longest],
    );
  }

  #delete(condition: string, values: unknown[]): Promise<number> {
    return deleteInBatches(this.dataSource, 'webhook_deliveries', condition, values);
  }
}

/** Disables a webhook, fails its pending deliveries, and tells its owner by e-mail. */
async function disableWebhook(manager: EntityManager, id: string, reason: string): Promise<void> {
  const [rows] = await manager.query<[{ owner_id: string; name: string }[], number]>(
    `UPDATE webhook_endpoints SET enabled = false, disabled_reason = $2, updated_at = now()
     WHERE id = $1 AND enabled RETURNING owner_id, name`,
    [id, reason],
  );
  for (const { owner_id, name } of rows) {
    await failPending(manager, id);
    await recordEvents(manager, [
      { ownerId: owner_id, type: 'webhook.disabled', data: { webhook: { id, name }, reason } },
    ]);
  }
}

/** Fails the pending deliveries of a webhook that is disabled. */
export async function failPending(manager: EntityManager, webhookId: string): Promise<void> {
  await manager.query(
    `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, updated_at = now(),
       error = COALESCE(error, 'The webhook was disabled.')
     WHERE webhook_id = $1 AND state = 'pending'`,
    [webhookId],
  );
}
