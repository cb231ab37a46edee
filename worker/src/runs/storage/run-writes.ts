import { MAX_WRITTEN_NAMES, type PostgresAnswer, type RunWrite, type StorageAnswer } from '@trawl/contracts';
import { deserialize } from 'bson';
import { wellFormed } from '../output-check.js';

type Counts = Pick<RunWrite, 'inserted' | 'updated' | 'deleted'>;
type Target = Pick<RunWrite, 'store' | 'database' | 'name'>;

const MAX_NAME_CHARS = 200;

/**
 * Counts what one run writes, by collection and table. The worker counts, because each call has one answer here, however
 * often it was sent.
 * See docs/decisions/0128-rows-and-values-of-runs.md.
 */
export class RunWrites {
  readonly #writes = new Map<string, RunWrite>();
  /** Whether something was counted since the last call of `changes`. */
  #hasChanged = false;

  get list(): RunWrite[] {
    return [...this.#writes.values()];
  }

  /** Returns the list if it has changed since the last call, or else null. */
  changes(): RunWrite[] | null {
    if (!this.#hasChanged) return null;
    this.#hasChanged = false;
    return this.list;
  }

  add(target: Target, { inserted = 0, updated = 0, deleted = 0 }: Partial<Counts>): void {
    if (inserted + updated + deleted === 0) return;
    const write = this.#writeOf(target);
    write.inserted += inserted;
    write.updated += updated;
    write.deleted += deleted;
    this.#hasChanged = true;
  }

  addAll(other: RunWrites): void {
    for (const write of other.list) this.add(write, write);
  }

  /** Counts a call to MongoDB that has this answer. */
  addMongo({ db, collection, method, uncounted }: MongoCall, answer: StorageAnswer): void {
    if (uncounted) return;
    const target = { store: 'mongodb' as const, database: answer.is_default ? null : (db ?? null), name: collection };
    if ('error' in answer) this.add(target, mongoCounts(answer.error));
    else if (WRITING.test(method)) this.add(target, mongoCounts(deserialize(answer.result)));
  }

  /**
   * Counts a statement of PostgreSQL that has this answer.
   * @param table as the skript names it, for an older platform, whose answer does not have the table
   */
  addPostgres(table: string | undefined, answer: PostgresAnswer): void {
    if (!('result' in answer) || !('command' in answer.result)) return;
    const { command, row_count, table: found } = answer.result;
    const kind = COMMANDS[command];
    if (kind)
      this.add({ store: 'postgresql', database: null, name: found ?? table ?? null }, { [kind]: countOf(row_count) });
  }

  #writeOf(target: Target): RunWrite {
    const { store } = target;
    const [database, name] = [stored(target.database), stored(target.name)];
    const key = JSON.stringify([store, database, name]);
    const known = this.#writes.get(key);
    if (known) return known;
    if (
      name !== null &&
      this.list.filter(write => write.store === store && write.name !== null).length >= MAX_WRITTEN_NAMES
    ) {
      return this.#writeOf({ store, database: null, name: null });
    }
    const write: RunWrite = { store, database, name, inserted: 0, updated: 0, deleted: 0 };
    this.#writes.set(key, write);
    return write;
  }
}

interface MongoCall {
  db?: string | undefined;
  collection: string;
  method: string;
  uncounted?: boolean | undefined;
}

const WRITING = /^(insert|update|upsert|replace|delete)/;

/** What the rows of a statement count as. PostgreSQL does not tell what a MERGE did with each of its rows. */
const COMMANDS: Record<string, keyof Counts> = {
  INSERT: 'inserted',
  UPDATE: 'updated',
  MERGE: 'updated',
  DELETE: 'deleted',
};

const mongoCounts = (result: Record<string, unknown>): Counts => ({
  inserted: countOf(result.inserted_count) + countOf(result.upserted_count),
  updated: countOf(result.modified_count),
  deleted: countOf(result.deleted_count),
});

const countOf = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, value as number) : 0);

/** Cuts a name and replaces characters that PostgreSQL cannot store. */
const stored = (name: string | null): string | null =>
  name === null ? null : wellFormed(name.slice(0, MAX_NAME_CHARS).replaceAll('\0', '\uFFFD'));
