import type { PostgresAnswer } from '@trawl/contracts';
import { RunWrites } from './run-writes.js';

interface Statement {
  text: string;
  table?: string | undefined;
}

/** Counts the rows that a transaction writes after its beginning or after a savepoint. */
interface Section {
  savepoint: string | null;
  writes: RunWrites;
}

/** Limit of sections. Later savepoints share the last one. */
const MAX_SECTIONS = 1_000;
/** PostgreSQL cuts longer names. */
const MAX_NAME_CHARS = 63;
/** Quoted names keep their quotation marks. */
const WORDS = /"(?:[^"]|"")*"|--[^\n\r]*|\/\*(?:[^*]|\*(?!\/))*\*\/|[\w$\u0080-\uffff]+/g;

/**
 * Counts what one transaction of PostgreSQL writes. It follows the commands that end the transaction or go back to a
 * savepoint, because a skript may execute them itself.
 */
export class TransactionWrites {
  readonly #sections: Section[] = [{ savepoint: null, writes: new RunWrites() }];

  /** Rows that the transaction keeps if it commits now. */
  get total(): RunWrites {
    const total = new RunWrites();
    for (const { writes } of this.#sections) total.addAll(writes);
    return total;
  }

  /** Counts a statement that has this answer. Returns whether it has committed the transaction. */
  add({ text, table }: Statement, answer: PostgresAnswer): boolean {
    if (!('result' in answer) || !('command' in answer.result)) return false;
    switch (answer.result.command) {
      case 'COMMIT':
        return true;
      case 'SAVEPOINT':
        if (this.#sections.length < MAX_SECTIONS)
          this.#sections.push({ savepoint: nameIn(text), writes: new RunWrites() });
        return false;
      case 'RELEASE':
        this.#keepSince(nameIn(text));
        return false;
      case 'ROLLBACK':
        this.#forgetSince(wordsOf(text).some(word => /^to$/i.test(word)) ? nameIn(text) : null);
        return false;
      default:
        this.#sections.at(-1)?.writes.addPostgres(table, answer);
        return false;
    }
  }

  /** Makes what was written since a savepoint a part of what was written before it. */
  #keepSince(savepoint: string): void {
    const at = this.#find(savepoint);
    if (at < 0) return;
    for (const { writes } of this.#sections.splice(at)) this.#sections.at(-1)?.writes.addAll(writes);
  }

  /** Forgets what was written since a savepoint, which stays; null for the whole transaction. */
  #forgetSince(savepoint: string | null): void {
    const at = this.#find(savepoint);
    if (at >= 0) this.#sections.splice(at, Infinity, { savepoint, writes: new RunWrites() });
  }

  /** Returns the place of the latest savepoint of this name; -1 if it is not kept. */
  #find(savepoint: string | null): number {
    return this.#sections.findLastIndex(section => section.savepoint === savepoint);
  }
}

const wordsOf = (sql: string): string[] => (sql.match(WORDS) ?? []).filter(word => !/^(--|\/\*)/.test(word));

/** Returns the last word of a statement, as PostgreSQL reads names: the savepoint of a statement that names one. */
function nameIn(sql: string): string {
  const word = wordsOf(sql).at(-1) ?? '';
  const name = word.startsWith('"') ? word.slice(1, -1).replaceAll('""', '"') : word.toLowerCase();
  return name.slice(0, MAX_NAME_CHARS);
}
