import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { CallerChanges } from '../auth/caller-changes.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import type { DeletedDto } from '../common/entity.js';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { lockSchedules } from '../scheduler/skript-schedules.js';
import { deleteSkripts } from '../skripts/skript-deletion.js';
import { MongoConnectionService } from '../storage/mongo-connection.service.js';
import { User } from './user.entity.js';
import { checkDispensable, lockUser } from './users.service.js';

/** Runs in one transaction: a statement has 30 s, and nobody else should wait for it. */
const BATCH_RUNS = 1_000;

/** Skripts in one transaction, which locks them. */
const BATCH_SKRIPTS = 20;

/** Deletes accounts with everything of theirs. What fails midway is gone on with by deleting the account again. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mongo: MongoConnectionService,
    private readonly sessions: SessionsService,
    private readonly callerChanges: CallerChanges,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws {ApiError} 404, 409 `last_administrator`, `conflict` or `has_live_run`, 503 `storage_unavailable`. */
  async delete(adminId: string, id: string): Promise<DeletedDto> {
    await this.#close(adminId, id);
    await this.#dropDatabases(id);
    const runs = await this.#deleteRuns(id);
    const skripts = await this.#deleteSkripts(id);
    const rows = await this.dataSource.transaction(async manager => {
      await lockUser(manager, id);
      await checkNoLiveRun(manager, id);
      const [counted] = await manager.query<Record<string, number>[]>(
        `SELECT (SELECT count(*)::int FROM mongo_databases WHERE owner_id = $1) AS mongo_databases,
           (SELECT count(*)::int FROM api_keys WHERE user_id = $1) AS api_keys`,
        [id],
      );
      // They were dropped already, but a write that was under way may have made one anew.
      await manager.query('INSERT INTO mongo_drops (db_name) SELECT db_name FROM mongo_databases WHERE owner_id = $1', [
        id,
      ]);
      // Of the account by its id alone.
      await manager.query('DELETE FROM start_keys WHERE owner_id = $1', [id]);
      await manager.delete(User, id);
      return counted;
    });
    this.callerChanges.tell(id);
    this.logger.info({ user: id, by: adminId }, 'an account is deleted');
    return { deleted: { users: 1, ...skripts, ...rows, ...runs } };
  }

  /** Nothing new comes from now on, while what there is goes. */
  async #close(adminId: string, id: string): Promise<void> {
    await this.dataSource.transaction(async manager => {
      // In the order in which a fire locks them: it takes the account last.
      await lockSchedules(manager, id);
      await manager.query('SELECT 1 FROM skripts WHERE owner_id = $1 ORDER BY id FOR UPDATE', [id]);
      const user = await lockUser(manager, id);
      await checkDispensable(manager, adminId, user);
      await checkNoLiveRun(manager, id);
      await manager.query('UPDATE schedules SET enabled = false WHERE owner_id = $1', [id]);
      await manager.update(User, id, { disabled_at: user.disabled_at ?? new Date() });
      await this.sessions.removeAll(id, manager);
    });
    this.callerChanges.tell(id);
  }

  async #deleteSkripts(id: string): Promise<Record<string, number>> {
    const deleted: Record<string, number> = { skripts: 0 };
    for (;;) {
      const counts = await this.dataSource.transaction(async manager => {
        await lockSchedules(manager, id);
        const rows = await manager.query<{ id: string }[]>(
          `SELECT id FROM skripts WHERE owner_id = $1 ORDER BY id LIMIT ${BATCH_SKRIPTS} FOR UPDATE`,
          [id],
        );
        return deleteSkripts(
          manager,
          rows.map(skript => skript.id),
        );
      });
      for (const [kind, count] of Object.entries(counts)) deleted[kind] = (deleted[kind] ?? 0) + count;
      if (counts.skripts === 0) return deleted;
    }
  }

  async #dropDatabases(id: string): Promise<void> {
    const databases = await this.dataSource.query<{ db_name: string }[]>(
      'SELECT db_name FROM mongo_databases WHERE owner_id = $1',
      [id],
    );
    try {
      for (const { db_name } of databases) await (await this.mongo.db(db_name)).dropDatabase();
    } catch (error) {
      this.logger.warn({ err: error, user: id }, 'the databases of an account could not be dropped');
      throw new ApiError(
        'storage_unavailable',
        'MongoDB does not answer, so the account’s databases are still there. The account is disabled; delete it again later.',
      );
    }
  }

  async #deleteRuns(id: string): Promise<{ skript_executions: number; echo_chunks: number }> {
    const deleted = { skript_executions: 0, echo_chunks: 0 };
    for (;;) {
      const runs = await this.dataSource.transaction(async manager => {
        const [rows] = await manager.query<[{ id: string }[], number]>(
          `DELETE FROM executions WHERE id IN (
             SELECT e.id FROM executions e WHERE e.owner_id = $1
               AND NOT EXISTS (SELECT 1 FROM live_runs WHERE execution_id = e.id) ORDER BY e.id LIMIT ${BATCH_RUNS})
           RETURNING id`,
          [id],
        );
        const ids = rows.map(run => run.id);
        const [, chunks] = await manager.query<[unknown, number]>(
          'DELETE FROM echo_chunks WHERE execution_id = ANY($1::uuid[])',
          [ids],
        );
        deleted.echo_chunks += chunks;
        return ids.length;
      });
      deleted.skript_executions += runs;
      if (runs === 0) return deleted;
    }
  }
}

async function checkNoLiveRun(manager: EntityManager, ownerId: string): Promise<void> {
  const [live] = await manager.query<unknown[]>('SELECT 1 FROM live_runs WHERE owner_id = $1 LIMIT 1', [ownerId]);
  if (live)
    throw new ApiError('has_live_run', 'A run of this account is still going on. Stop it first, then delete it.');
}
