import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../common/logger.js';
import { OutageLog } from '../../common/outage-log.js';
import { Cleanups } from '../../database/cleanups.service.js';
import { DueWork } from '../../database/due-work.service.js';
import { describeFailure, OutgoingHttp } from '../../outgoing/outgoing-http.service.js';
import { type Attempt, type ClaimedDelivery, DeliveriesRepository, IS_DELIVERY_DUE } from './deliveries.repository.js';
import { DeliverySigner } from './delivery-signer.service.js';
import { LOG_URL } from './webhooks.dto.js';

const POLL_MS = 1_000;
/** How often to look for webhooks with too many pending deliveries. */
const OVERFULL_MS = 60_000;
/**
 * Concurrent attempts of this backend, of one account and of one webhook among them. So a slow receiver delays no other
 * of its account, and slow receivers of an account delay no other account.
 */
const MAX_ATTEMPTS = 192;
const MAX_ATTEMPTS_PER_OWNER = 24;
const MAX_ATTEMPTS_PER_WEBHOOK = 4;
const TIMEOUT_MS = 15_000;
const KEPT_BODY_BYTES = 1_000;
const KEPT_DAYS = 30;
const STOP_TIMEOUT_MS = 3_000;

/** Sends due deliveries, retries failed ones, and removes old ones. */
@Injectable()
export class DeliverySenderService implements OnModuleInit, OnModuleDestroy {
  /** Attempts in progress. */
  readonly #inProgress = new Map<Promise<void>, Pick<ClaimedDelivery, 'owner_id' | 'webhook_id'>>();
  readonly #outages: OutageLog;
  #isClaiming = false;
  #isClosing = false;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly http: OutgoingHttp,
    private readonly signer: DeliverySigner,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'failed to send webhook deliveries; retrying');
  }

  onModuleInit(): void {
    this.cleanups.add('webhook deliveries', 'hourly', () => this.removeOld());
    this.dueWork.add('webhook deliveries', {
      everyMs: POLL_MS,
      find: () => IS_DELIVERY_DUE,
      run: () => this.sendDue(),
    });
    this.dueWork.add('overfull webhooks', {
      everyMs: OVERFULL_MS,
      find: () => 'true',
      run: () => this.disableOverfull(),
    });
  }

  /** Starts an attempt for each due delivery, as many as may run at a time. */
  async sendDue(): Promise<void> {
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    try {
      while (!this.#isClosing && this.#inProgress.size < MAX_ATTEMPTS) {
        const delivery = await this.deliveries.claim(this.#busy());
        if (!delivery) break;
        this.#start(delivery);
      }
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    } finally {
      this.#isClaiming = false;
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.#isClosing = true;
    // An attempt that takes longer is repeated after the restart, with the same id.
    await Promise.race([Promise.all(this.#inProgress.keys()), delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async disableOverfull(): Promise<void> {
    try {
      await this.deliveries.disableOverfull();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  async removeOld(): Promise<void> {
    try {
      await this.deliveries.deleteOld(KEPT_DAYS);
      await this.deliveries.repairTimes();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Returns the accounts and webhooks that may get no further attempt now. */
  #busy(): { owners: string[]; webhooks: string[] } {
    const attempts = [...this.#inProgress.values()];
    return {
      owners: frequent(
        attempts.map(({ owner_id }) => owner_id),
        MAX_ATTEMPTS_PER_OWNER,
      ),
      webhooks: frequent(
        attempts.map(({ webhook_id }) => webhook_id),
        MAX_ATTEMPTS_PER_WEBHOOK,
      ),
    };
  }

  #start(delivery: ClaimedDelivery): void {
    const attempt = this.#attempt(delivery)
      .catch(error => this.#outages.failure(error, { delivery: delivery.id }))
      .finally(() => {
        this.#inProgress.delete(attempt);
        void this.sendDue();
      });
    this.#inProgress.set(attempt, delivery);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const attempt = await this.#send(delivery);
    const { id, webhook_id, attempts } = delivery;
    // The log does not contain the URL, because chat services put secrets into it.
    const fields = { delivery: id, webhook: webhook_id, attempts, status: attempt.status };
    if (attempt.error === null) {
      await this.deliveries.succeed(delivery, attempt);
      this.logger.info(fields, 'webhook delivered');
    } else {
      const isGone = attempt.status === 410;
      await this.deliveries.fail(delivery, attempt, isGone ? GONE : null);
      this.logger.info(fields, 'webhook delivery failed');
    }
  }

  async #send(delivery: ClaimedDelivery): Promise<Attempt> {
    if (delivery.url === LOG_URL) return { status: null, body: null, durationMs: null, error: null };
    try {
      const { status, body, durationMs } = await this.http.post({
        url: delivery.url,
        headers: this.signer.headersOf(delivery),
        body: delivery.body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: KEPT_BODY_BYTES,
      });
      return { status, body: storable(body), durationMs, error: refusalOf(status) };
    } catch (error) {
      return { status: null, body: null, durationMs: null, error: describeFailure(error) };
    }
  }
}

/** Returns the ids that occur at least so often. */
function frequent(ids: string[], times: number): string[] {
  return [...new Set(ids)].filter(id => ids.filter(one => one === id).length >= times);
}

const GONE = 'The receiver answered with 410 Gone: it wants no more deliveries.';

/** Says why an answer with this status is a failure; null if it is a success. */
function refusalOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return GONE;
  if (status >= 300 && status < 400)
    return `The receiver answered with ${status}, a redirect. Trawl follows no redirects: change the URL of the webhook to the final one.`;
  return `The receiver answered with ${status}. Trawl expects a status from 200 to 299.`;
}

/** Returns the bytes as a text that PostgreSQL can store. */
const storable = (body: Buffer): string => body.toString('utf8').replaceAll('\0', '\ufffd');
