import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { ApiError } from '../../../platform/common/errors.js';
import { UserServerService } from '../server/user-server.service.js';
import { allowCodeInAutovacuum, hasWalls, putUpWalls } from './database-walls.js';
import { findDatabase, markReady, reserveName } from './postgres-databases.repository.js';

const LIMITS = { connectionTimeoutMillis: 10_000, statement_timeout: 60_000, lock_timeout: 10_000 };

/** Creates the PostgreSQL database and the role of an account when the account first needs them. */
@Injectable()
export class PostgresDatabasesService {
  readonly #creating = new Map<string, Promise<string>>();
  /** Names of databases that exist and have walls, by owner. A name never changes. */
  readonly #names = new Map<string, string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly server: UserServerService,
  ) {}

  /** Returns the name of the account's database, or undefined if it has none yet. */
  async find(ownerId: string): Promise<string | undefined> {
    const known = this.#names.get(ownerId);
    if (known) return known;
    const row = await findDatabase(this.dataSource, ownerId);
    return row?.ready ? row.name : undefined;
  }

  /**
   * Returns the name of the account's database, which is created if it does not exist. The first call of each backend
   * also puts up walls that an older version of Trawl did not have.
   * @throws {ApiError} 404 if the account was deleted or disabled; {StorageFailure} `storage_unavailable`.
   */
  async findOrCreate(ownerId: string): Promise<string> {
    const usable = this.#names.get(ownerId);
    if (usable) return usable;
    const creating = this.#creating.get(ownerId) ?? this.#create(ownerId);
    this.#creating.set(ownerId, creating);
    try {
      return await creating;
    } finally {
      this.#creating.delete(ownerId);
    }
  }

  forget(ownerId: string): void {
    this.#names.delete(ownerId);
  }

  /** Executes `restore`, which fills the database of a user from a dump: an older one has indexes that the walls refuse. */
  async whileRestoring(name: string, restore: () => Promise<unknown>): Promise<void> {
    await this.#inDatabase(name, allowCodeInAutovacuum);
    await restore();
    await this.#inDatabase(name, putUpWalls);
  }

  async #create(ownerId: string): Promise<string> {
    await reserveName(this.dataSource, ownerId, `u_${randomBytes(16).toString('hex')}`);
    const row = await findDatabase(this.dataSource, ownerId);
    if (!row) throw new ApiError('not_found', 'This account has no PostgreSQL database.');
    const { name } = row;
    if (!row.ready || !(await this.#inDatabase(name, hasWalls))) await this.#build(ownerId, name);
    this.#names.set(ownerId, name);
    return name;
  }

  /** Each step can be repeated, because a backend may be killed between two of them. */
  async #build(ownerId: string, name: string): Promise<void> {
    await this.server.create(name);
    await this.server.maintainAlone(name, async query => {
      // Another backend may have created it while this one waited.
      const isReady = (await findDatabase(this.dataSource, ownerId))?.ready;
      if (isReady && (await this.#inDatabase(name, hasWalls))) return;
      const [exists] = (await query(
        `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1) AS role,
                EXISTS (SELECT 1 FROM pg_database WHERE datname = $1) AS database`,
        [name],
      )) as { role: boolean; database: boolean }[];
      if (!exists?.role) await query(`CREATE ROLE ${name}`);
      await query(
        `ALTER ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 8`,
      );
      // `template0` is as PostgreSQL made it. Somebody may have changed `template1`.
      if (!exists?.database) await query(`CREATE DATABASE ${name} TEMPLATE template0`);
      await query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
      await query(`GRANT CONNECT, CREATE, TEMPORARY ON DATABASE ${name} TO ${name}`);
      await this.#inDatabase(name, async client => {
        if (!isReady) await client.query(`ALTER SCHEMA public OWNER TO ${name}`);
        await putUpWalls(client);
      });
    });
    await markReady(this.dataSource, ownerId);
  }

  /** Executes `work` with a connection of the superuser to the database of a user. */
  async #inDatabase<T>(name: string, work: (client: Client) => Promise<T>): Promise<T> {
    const address = await this.server.address();
    // The user may have used the database before, so statements there must not find the user's functions.
    const client = new Client({ ...address, ...LIMITS, database: name, options: '-c search_path=pg_catalog' });
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}
