import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { queuePostgresDropOf } from '../../data/postgres/databases/postgres-databases.repository.js';
import { PostgresDeletionService } from '../../data/postgres/deletion/postgres-deletion.service.js';
import { dbNamesOf, queueDropsOf } from '../../data/storage/databases/mongo-databases.repository.js';
import { MongoConnectionService } from '../../data/storage/mongodb/mongo-connection.service.js';
import { countApiKeys } from '../../platform/auth/api-keys.repository.js';
import { SessionTokens } from '../../platform/auth/session-tokens.service.js';
import { TokenChanges } from '../../platform/auth/tokens/token-changes.service.js';
import type { DeletedDto } from '../../platform/common/entity.js';
import { ApiError } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { deleteNoticesOf } from '../../platform/notifications/record-notices.js';
import { hasLiveRun } from '../../runs/executions/dispatch/live-runs.repository.js';
import { deleteEndedRunsOf } from '../../runs/executions/records/executions.repository.js';
import { deleteStartKeysOf } from '../../runs/executions/start/start-keys.repository.js';
import { disableSchedulesOf } from '../../runs/scheduler/schedules.repository.js';
import { lockSchedules } from '../../runs/skripts/skript-schedules.js';
import { deleteSkripts, lockSkriptsOf } from '../../runs/skripts/skripts.repository.js';
import { ExportFilesService } from '../../transfers/exports/export-files.service.js';
import { User } from './user.entity.js';
import { assertDispensable, lockUser } from './users.service.js';

/**
 * Number of runs that one transaction deletes. It is small, so that each statement stays far below its timeout of 30 s
 * and holds locks only for a short time.
 */
const BATCH_RUNS = 1_000;

/** Number of skripts that one transaction deletes. It is small, because the transaction locks them. */
const BATCH_SKRIPTS = 20;

/** Deletes an account with all its data. After a failure, deleting the account again continues where it stopped. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mongo: MongoConnectionService,
    private readonly postgres: PostgresDeletionService,
    private readonly sessions: SessionTokens,
    private readonly tokenChanges: TokenChanges,
    private readonly exportFiles: ExportFilesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Closes an account at once: nobody can sign in, and its runs end. Then `AccountExpiry` deletes it.
   * @throws {ApiError} 404, 409 `last_administrator`.
   */
  async close(id: string): Promise<void> {
    await this.#disable(null, id, true);
  }

  /**
   * @param adminId null if no administrator deletes the account, but its owner or its expiry.
   * @throws {ApiError} 404, 409 `last_administrator`, `conflict` or `has_live_run`, 503 `storage_unavailable`.
   */
  async delete(adminId: string | null, id: string): Promise<DeletedDto> {
    await this.#disable(adminId, id, false);
    await this.#dropDatabases(id);
    await this.#dropPostgres(id);
    const runs = await this.#deleteRuns(id);
    const skripts = await this.#deleteSkripts(id);
    const rows = await this.dataSource.transaction(async manager => {
      await lockUser(manager, id);
      await checkNoLiveRun(manager, id);
      // A write that was running during the drop may have created a database again, so queue a second drop of each
      // database.
      const mongo_databases = await queueDropsOf(manager, id);
      const postgres_databases = await queuePostgresDropOf(manager, id);
      const api_keys = await countApiKeys(manager, id);
      await deleteStartKeysOf(manager, id);
      await deleteNoticesOf(manager, id);
      await manager.delete(User, id);
      return { mongo_databases, postgres_databases, api_keys };
    });
    await this.exportFiles.sweep();
    this.tokenChanges.publish(id);
    this.logger.info({ user: id, by: adminId }, 'account deleted');
    return { deleted: { users: 1, ...skripts, ...rows, ...runs } };
  }

  /** Disables the account, so that nothing new is created while its data is deleted. */
  async #disable(adminId: string | null, id: string, isClosing: boolean): Promise<void> {
    await this.dataSource.transaction(async manager => {
      // Lock in the same order as a schedule's fire, to avoid deadlocks: schedules, skripts, account.
      await lockSchedules(manager, id);
      await lockSkriptsOf(manager, id);
      const user = await lockUser(manager, id);
      await assertDispensable(manager, adminId, user);
      if (!isClosing) await checkNoLiveRun(manager, id);
      await disableSchedulesOf(manager, id);
      await manager.update(User, id, {
        disabled_at: user.disabled_at ?? new Date(),
        ...(isClosing ? { expires_at: () => 'least(expires_at, now())' } : {}),
      });
      await this.sessions.removeAll(id, manager);
    });
    this.tokenChanges.publish(id);
  }

  async #deleteSkripts(id: string): Promise<Record<string, number>> {
    const deleted: Record<string, number> = { skripts: 0 };
    for (;;) {
      const counts = await this.dataSource.transaction(async manager => {
        await lockSchedules(manager, id);
        const skripts = await lockSkriptsOf(manager, id, BATCH_SKRIPTS);
        return deleteSkripts(
          manager,
          skripts.map(skript => skript.id),
        );
      });
      for (const [kind, count] of Object.entries(counts)) deleted[kind] = (deleted[kind] ?? 0) + count;
      if (counts.skripts === 0) return deleted;
    }
  }

  async #dropDatabases(id: string): Promise<void> {
    const dbNames = await dbNamesOf(this.dataSource, id);
    try {
      for (const dbName of dbNames) await (await this.mongo.db(dbName)).dropDatabase();
    } catch (error) {
      this.logger.warn({ err: error, user: id }, 'failed to drop the databases of an account');
      throw new ApiError(
        'storage_unavailable',
        'MongoDB is unavailable, so not all databases of the account were deleted. The account is disabled now. Delete it again later.',
      );
    }
  }

  async #dropPostgres(id: string): Promise<void> {
    try {
      await this.postgres.drop(id);
    } catch (error) {
      this.logger.warn(
        { code: (error as { code?: string }).code, user: id },
        'failed to drop the PostgreSQL database of an account',
      );
      throw new ApiError(
        'storage_unavailable',
        'PostgreSQL for users is unavailable, so the database of the account was not deleted. The account is disabled now. Delete it again later.',
      );
    }
  }

  async #deleteRuns(id: string): Promise<{ skript_executions: number; echo_chunks: number }> {
    const deleted = { skript_executions: 0, echo_chunks: 0 };
    for (;;) {
      const batch = await this.dataSource.transaction(manager => deleteEndedRunsOf(manager, id, BATCH_RUNS));
      deleted.skript_executions += batch.skript_executions;
      deleted.echo_chunks += batch.echo_chunks;
      if (batch.skript_executions === 0) return deleted;
    }
  }
}

async function checkNoLiveRun(manager: EntityManager, ownerId: string): Promise<void> {
  if (await hasLiveRun(manager, ownerId))
    throw new ApiError(
      'has_live_run',
      'This account has a run that has not ended. Stop the run, then delete the account.',
    );
}
