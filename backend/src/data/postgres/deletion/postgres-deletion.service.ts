import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { JobKinds } from '../../../platform/jobs/job-kinds.service.js';
import { findDatabase, POSTGRES_DROP } from '../databases/postgres-databases.repository.js';
import { UserServerService } from '../server/user-server.service.js';
import { UserSessionsService } from '../sessions/user-sessions.service.js';

/** Another user can hold a lock on a table with such a right. The job tries again later. */
const LIMITS = { connectionTimeoutMillis: 10_000, statement_timeout: 10_000, lock_timeout: 2_000 };

/** Drops the databases and roles of deleted accounts. */
@Injectable()
export class PostgresDeletionService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly server: UserServerService,
    private readonly sessions: UserSessionsService,
    private readonly kinds: JobKinds,
  ) {}

  onModuleInit(): void {
    // Databases are dropped a second time: another backend may have created one after the first drop.
    this.kinds.registerPlatform<{ name: string }>(POSTGRES_DROP, {
      deadlineMs: 10 * 60_000,
      perLane: 1,
      retrySeconds: () => 60,
      run: ({ params }) => this.#drop(params.name),
    });
  }

  /**
   * Drops the account's database and role. Does nothing if it has none.
   * @throws {StorageFailure} `storage_unavailable`; errors of PostgreSQL.
   */
  async drop(ownerId: string): Promise<void> {
    const row = await findDatabase(this.dataSource, ownerId);
    if (!row) return;
    await this.sessions.close(ownerId);
    await this.#drop(row.name);
  }

  async #drop(name: string): Promise<void> {
    if (await this.server.drop(name)) return;
    const address = await this.server.address();
    await this.server.maintainAlone(name, async query => {
      await query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      // Other users can grant this role rights on their own tables. Such a right would keep the role from being dropped.
      const others = (await query(
        `SELECT DISTINCT datname FROM pg_shdepend JOIN pg_database d ON d.oid = dbid
          WHERE refclassid = 'pg_authid'::regclass AND refobjid = (SELECT oid FROM pg_roles WHERE rolname = $1)`,
        [name],
      )) as { datname: string }[];
      for (const { datname } of others) {
        const client = new Client({ ...address, ...LIMITS, database: datname });
        client.on('error', () => {});
        await client.connect();
        try {
          await client.query(`DROP OWNED BY ${name}`);
        } finally {
          await client.end();
        }
      }
      await query(`DROP ROLE IF EXISTS ${name}`);
    });
  }
}
