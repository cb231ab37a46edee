import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { ApiError } from '../../common/errors.js';
import { UserServerService } from '../server/user-server.service.js';
import { findDatabase, markReady, reserveName } from './postgres-databases.repository.js';

/** These locks fill the lock table, which all databases of the server share, in less than a second. */
const ADVISORY_LOCK_FUNCTIONS = ['lock', 'xact_lock']
  .flatMap(name => [`pg_advisory_${name}`, `pg_try_advisory_${name}`])
  .flatMap(name => [name, `${name}_shared`])
  .flatMap(name => [`pg_catalog.${name}(bigint)`, `pg_catalog.${name}(integer, integer)`])
  .join(', ');

/** Creates the PostgreSQL database and the role of an account when the account first needs them. */
@Injectable()
export class PostgresDatabasesService {
  readonly #creating = new Map<string, Promise<string>>();
  /** Names of databases that exist, by owner. A name never changes. */
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
    if (!row?.ready) return undefined;
    if (row.restricted) this.#names.set(ownerId, row.name);
    return row.name;
  }

  /**
   * Returns the name of the account's database, which is created if it does not exist.
   * @throws {ApiError} 404 if the account was deleted or disabled; {StorageFailure} `storage_unavailable`.
   */
  async findOrCreate(ownerId: string): Promise<string> {
    await this.find(ownerId);
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

  /** Each step can be repeated, because a backend may be killed between two of them. */
  async #create(ownerId: string): Promise<string> {
    await reserveName(this.dataSource, ownerId, `u_${randomBytes(16).toString('hex')}`);
    const row = await findDatabase(this.dataSource, ownerId);
    if (!row) throw new ApiError('not_found', 'This account has no PostgreSQL database.');
    const { name } = row;
    const address = await this.server.address();
    await this.server.maintainAlone(name, async query => {
      // Another backend may have created it while this one waited.
      const current = await findDatabase(this.dataSource, ownerId);
      if (current?.restricted) return;
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
      // The user may have used the database before, so statements there must not find the user's functions.
      const client = new Client({ ...address, database: name, options: '-c search_path=pg_catalog' });
      client.on('error', () => {});
      await client.connect();
      try {
        if (!current?.ready) await client.query(`ALTER SCHEMA public OWNER TO ${name}`);
        await client.query(`REVOKE EXECUTE ON FUNCTION ${ADVISORY_LOCK_FUNCTIONS} FROM PUBLIC`);
      } finally {
        await client.end();
      }
    });
    await markReady(this.dataSource, ownerId);
    this.#names.set(ownerId, name);
    return name;
  }
}
