import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import { checkPart, MAX_PARTS } from '../skript-parts.js';
import { lockSkript } from '../skripts.repository.js';
import type { Input } from './input.entity.js';

const TABLES = { inputs: 'val', input_secrets: 'val_sealed' } as const;
/**
 * Names with only these characters can be compared in SQL. For other characters, SQL's upper and lower case depend on
 * the locale, so SQL might not agree with `names.ts`.
 */
const ASCII = /^[ -~]*$/;

interface NewInput {
  id: string;
  skript_id: string;
  name: string;
  /** The value as it is stored: text of an input, or encrypted bytes of an input secret. */
  value: string | Buffer;
}

/** An input or input secret without its value, which can have 256 KB. */
export type InputRow = Omit<Input, 'val'>;

const RETURNING = 'RETURNING id, skript_id, name, created_at, updated_at';

interface InputChange {
  id: string;
  skript_id: string;
  name: string | undefined;
  value: string | Buffer | null;
}

/** Inserts and updates inputs and input secrets. */
@Injectable()
export class InputWritesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * @returns the inserted row.
   * @throws {ApiError} 404, 409 `name_taken`, 413 when the skript has reached the limit, 429 `quota_exceeded`.
   */
  async insert(ownerId: string, table: keyof typeof TABLES, input: NewInput): Promise<InputRow> {
    const { id, skript_id, name, value } = input;
    const row = [id, skript_id, name, value];
    const insert = `INSERT INTO ${table} (id, skript_id, name, ${TABLES[table]}) SELECT $1::uuid, $2::uuid, $3, $4`;
    if (ASCII.test(name)) {
      // Fast path: one statement checks the limits and inserts. If it inserts nothing, the checks below find out why.
      const [inserted] = await this.dataSource.query<InputRow[]>(
        `${insert} WHERE has_room_for_input($5, $2, $6, $3, $7, $8) ${RETURNING}`,
        [...row, ownerId, table === 'input_secrets', MAX_PARTS, this.quotas.defaultOf('inputs')],
      );
      if (inserted) return inserted;
    }
    return this.dataSource.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      await checkPart(manager, table, skript_id, name);
      await this.quotas.roomForInput(manager, ownerId);
      const [inserted] = await manager.query<[InputRow]>(`${insert} ${RETURNING}`, row);
      return inserted;
    });
  }

  /**
   * Changes the name, the value or both. A value of null means that the stored value stays.
   * @throws {ApiError} 404, 409 `name_taken`.
   */
  async update(ownerId: string, table: keyof typeof TABLES, change: InputChange): Promise<void> {
    const { id, skript_id, name, value } = change;
    const column = TABLES[table];
    await this.dataSource.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      if (name !== undefined) await checkPart(manager, table, skript_id, name, id);
      await manager.query(
        `UPDATE ${table} SET name = coalesce($2, name), ${column} = coalesce($3, ${column}), updated_at = now() WHERE id = $1`,
        [id, name ?? null, value],
      );
    });
  }
}
