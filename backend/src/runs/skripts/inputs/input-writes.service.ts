import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WriteBatcher } from '../../../platform/common/batching/write-batcher.js';
import { isRefusedStatement } from '../../../platform/common/postgres-errors.js';
import { preparedQuery } from '../../../platform/common/sql/prepared-query.js';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import { checkPart, MAX_PARTS } from '../skript-parts.js';
import { lockSkript } from '../skripts.repository.js';
import type { Input } from './input.entity.js';

/** The column with the value, and how a statement reads it from the text in `NewInput`. */
const TABLES = {
  inputs: { column: 'val', read: (text: string) => `${text}::json` },
  input_secrets: { column: 'val_sealed', read: (text: string) => `decode(${text}, 'base64')` },
} as const;
type InputTable = keyof typeof TABLES;
/** Inputs with longer values are inserted by themselves, so that no statement is very long. */
const MAX_GATHERED_CHARS = 16_384;
/**
 * Names with only these characters can be compared in SQL. For other characters, SQL's upper and lower case depend on
 * the locale, so SQL might not agree with `names.ts`.
 */
const ASCII = /^[ -~]*$/;

interface NewInput {
  id: string;
  skript_id: string;
  name: string;
  /** JSON text of an input, or the encrypted bytes of an input secret in base64. */
  value: string;
}

/** An input or input secret without its value, which can have 256 KB. */
export type InputRow = Omit<Input, 'val'>;

const RETURNING = 'RETURNING id, skript_id, name, created_at, updated_at';

interface InputChange {
  id: string;
  skript_id: string;
  name: string | undefined;
  value: string | null;
}

/** Inserts and updates inputs and input secrets. */
@Injectable()
export class InputWritesService {
  /** One `WriteBatcher` for each table and account. */
  readonly #gatherers = new Map<string, WriteBatcher<NewInput, InputRow | undefined>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * Inputs of an account that arrive during a commit are inserted together with the next commit. Those of different
   * accounts never share a commit, so that no call waits for the locks of another account.
   * @returns the inserted row.
   * @throws {ApiError} 404, 409 `name_taken`, 413 when the skript has reached the limit, 429 `quota_exceeded`.
   */
  async insert(ownerId: string, table: InputTable, input: NewInput): Promise<InputRow> {
    const inserted = ASCII.test(input.name) ? await this.#insertIfRoom(ownerId, table, input) : undefined;
    return inserted ?? this.#insertChecked(ownerId, table, input);
  }

  /** Returns undefined if there is no room, or if it cannot tell. */
  async #insertIfRoom(ownerId: string, table: InputTable, input: NewInput): Promise<InputRow | undefined> {
    if (input.value.length > MAX_GATHERED_CHARS) return (await this.#insertAll(ownerId, table, [input]))[0];
    const key = `${table} ${ownerId}`;
    const gatherer =
      this.#gatherers.get(key) ??
      new WriteBatcher((inputs: NewInput[]) => this.#insertGathered(ownerId, table, inputs));
    this.#gatherers.set(key, gatherer);
    try {
      return await gatherer.add(input);
    } finally {
      if (gatherer.isIdle) this.#gatherers.delete(key);
    }
  }

  async #insertGathered(ownerId: string, table: InputTable, inputs: NewInput[]): Promise<(InputRow | undefined)[]> {
    try {
      return await this.#insertAll(ownerId, table, inputs);
    } catch (error) {
      if (!isRefusedStatement(error)) throw error;
      return inputs.map(() => undefined);
    }
  }

  /**
   * Checks the limits of each input and inserts it, in one statement. It locks all skripts before an account: every
   * check sees the rows that the statement has inserted before.
   */
  async #insertAll(ownerId: string, table: InputTable, inputs: NewInput[]): Promise<(InputRow | undefined)[]> {
    const { column, read } = TABLES[table];
    const rows = await preparedQuery<InputRow>(
      this.dataSource,
      `insert of ${table}`,
      `WITH locked AS MATERIALIZED (
         SELECT s.id FROM skripts s WHERE s.owner_id = $2
           AND s.id = ANY (ARRAY(SELECT skript_id FROM json_to_recordset($1) AS i (skript_id uuid))) ORDER BY s.id FOR UPDATE)
       INSERT INTO ${table} (id, skript_id, name, ${column})
       SELECT i.id, i.skript_id, i.name, ${read('i.value')}
       FROM json_to_recordset($1) AS i (id uuid, skript_id uuid, name text, value text)
       WHERE (SELECT count(*) FROM locked) > 0 AND has_room_for_input($2, i.skript_id, $3, i.name, $4, $5) ${RETURNING}`,
      [JSON.stringify(inputs), ownerId, table === 'input_secrets', MAX_PARTS, this.quotas.defaultOf('inputs')],
    );
    return inputs.map(({ id }) => rows.find(row => row.id === id));
  }

  /** Inserts an input, or finds out why that is impossible. */
  #insertChecked(ownerId: string, table: InputTable, { id, skript_id, name, value }: NewInput): Promise<InputRow> {
    const { column, read } = TABLES[table];
    return this.dataSource.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      await checkPart(manager, table, skript_id, name);
      await this.quotas.roomForInput(manager, ownerId);
      const [inserted] = await manager.query<[InputRow]>(
        `INSERT INTO ${table} (id, skript_id, name, ${column}) VALUES ($1, $2, $3, ${read('$4')}) ${RETURNING}`,
        [id, skript_id, name, value],
      );
      return inserted;
    });
  }

  /**
   * Changes the name, the value or both. A value of null means that the stored value stays.
   * @throws {ApiError} 404, 409 `name_taken`.
   */
  async update(ownerId: string, table: InputTable, change: InputChange): Promise<void> {
    const { id, skript_id, name, value } = change;
    const { column, read } = TABLES[table];
    await this.dataSource.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      if (name !== undefined) await checkPart(manager, table, skript_id, name, id);
      await manager.query(
        `UPDATE ${table} SET name = coalesce($2, name), ${column} = coalesce(${read('$3')}, ${column}), updated_at = now() WHERE id = $1`,
        [id, name ?? null, value],
      );
    });
  }
}
