import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { AuditLog } from '../../platform/audit/audit-log.service.js';
import { ApiError } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { OutageLog } from '../../platform/common/outage-log.js';
import { isDatabaseUnavailable } from '../../platform/common/postgres-errors.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import { AccountDeletionService } from './account-deletion.service.js';

const SWEEP_MS = 5_000;
/** Time between two tries to delete an account, for example while its runs end or a database is down. */
const RETRY_SECONDS = 10;

/** SQL on `users`: whether the account has expired, and was not tried within the last seconds. */
const IS_EXPIRED = `expires_at <= now()
  AND (removal_tried_at IS NULL OR removal_tried_at < now() - ${RETRY_SECONDS} * interval '1 second')`;

/**
 * Finds an account that has expired, and reserves it, so that backends do not delete the same one and one that cannot be
 * deleted does not delay the others.
 */
const TAKE = `UPDATE users SET removal_tried_at = now() WHERE id = (
    SELECT id FROM users WHERE ${IS_EXPIRED}
    ORDER BY removal_tried_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, username`;

/**
 * Deletes accounts that have expired, such as demo accounts and accounts that their owners delete.
 * See docs/decisions/0296-accounts-that-expire.md.
 */
@Injectable()
export class AccountExpiry implements OnModuleInit, OnModuleDestroy {
  readonly #outages: OutageLog;
  #sweeping: Promise<void> | undefined;
  #isStopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly deletion: AccountDeletionService,
    private readonly audit: AuditLog,
    private readonly dueWork: DueWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'reading expired accounts failed; retrying');
  }

  onModuleInit(): void {
    this.dueWork.add('expired accounts', {
      everyMs: SWEEP_MS,
      find: () => `EXISTS (SELECT FROM users WHERE ${IS_EXPIRED})`,
      run: () => this.sweep(),
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    await this.#sweeping;
  }

  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    try {
      while (!this.#isStopping) {
        const [[account]] = await this.dataSource.query<[{ id: string; username: string }[], number]>(TAKE);
        if (!account) break;
        await this.#delete(account);
      }
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  async #delete({ id, username }: { id: string; username: string }): Promise<void> {
    try {
      await this.deletion.close(id);
      await this.deletion.delete(null, id);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const isRetried = error instanceof ApiError && ['has_live_run', 'storage_unavailable'].includes(error.code);
      if (!isRetried) this.logger.error({ err: error, user: id }, 'deleting an expired account failed; will retry');
      return;
    }
    this.audit.record({
      user_id: id,
      username,
      key_id: null,
      key_name: null,
      action: 'deleteExpiredAccount',
      target_kind: 'user',
      target_id: id,
      target_name: username,
      fields: [],
      status: 200,
      ip: '',
    });
  }
}
