import type { ClientBase } from 'pg';
import { ConfigError } from '../common/config.js';
import { InitialSchema1795431000000 } from './migrations/1795431000000-initial-schema.js';

/** Its name, which ends in the time of the last migration that it replaces. */
export const INITIAL_SCHEMA = InitialSchema1795431000000.name;

const timeOf = (migration: string): number => Number(migration.slice(-13));
const LAST_OF_0_1_0 = 'ObjectStore1795431000000';

/** Returns the names of the migrations that a database has, in their order; none if it has no tables of Trawl. */
export async function storedMigrations(client: ClientBase): Promise<string[]> {
  const { rows: tables } = await client.query(`SELECT 1 WHERE to_regclass('migrations') IS NOT NULL`);
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY timestamp, id');
  return rows.map(({ name }) => name);
}

/** Whether version 0.1.0 or one before had this migration, which is now a part of the initial schema. */
export const isReplaced = (name: string): boolean => timeOf(name) <= timeOf(INITIAL_SCHEMA) && name !== INITIAL_SCHEMA;

/**
 * The migrations of a database or a backup, with the initial schema in place of those that it replaces.
 * @throws {ConfigError} if the schema is older than that of version 0.1.0
 */
export function withInitialSchema(names: string[]): string[] {
  if (!names.some(isReplaced)) return names;
  if (!names.includes(LAST_OF_0_1_0)) {
    throw new ConfigError(
      'The tables of the platform are older than version 0.1.0, and this version cannot update them. Start version 0.1.0 ' +
        'with them once, then this version.',
    );
  }
  return [INITIAL_SCHEMA, ...names.filter(name => !isReplaced(name))];
}
