import type { Execution } from '../../api/entities.js';
import { inReadingOrder } from '../values/in-reading-order.js';

/** A collection or table that a run wrote. */
export type WriteTarget = Pick<NonNullable<Execution['writes']>[number], 'store' | 'database' | 'name'>;

/** Names a target, also in the address. */
export const targetKey = ({ store, database, name }: WriteTarget): string => JSON.stringify([store, database, name]);

export const isDataset = ({ store, name }: WriteTarget, skriptId: string): boolean =>
  store === 'mongodb' && name === `dataset_${skriptId}`;

export const isKeyValueStore = ({ store, name }: WriteTarget, skriptId: string): boolean =>
  store === 'mongodb' && name === `kv_${skriptId}`;

/** Returns the name of a target of a skript's runs, as people read it. */
export function targetName(target: WriteTarget, skriptId: string): string {
  const { store, name } = target;
  if (name === null) return store === 'mongodb' ? 'Further collections' : 'Statements of postgres.query';
  if (isDataset(target, skriptId)) return 'Dataset';
  return isKeyValueStore(target, skriptId) ? 'Key-value store' : inReadingOrder(name);
}

/** The database of a target in words. */
export function targetPlace({ store, database, name }: WriteTarget): string {
  if (store === 'postgresql') return name === null ? 'PostgreSQL, tables not known' : 'PostgreSQL';
  return database === null ? 'MongoDB' : `MongoDB, ${inReadingOrder(database)}`;
}

/** Splits the name of a table. Without a dot, the schema is `public`. The name of a schema may have dots, too. */
export function tableOf(name: string): { schema: string; table: string } {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? { schema: 'public', table: name } : { schema: name.slice(0, dot), table: name.slice(dot + 1) };
}
