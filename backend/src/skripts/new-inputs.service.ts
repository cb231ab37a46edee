import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QuotasService } from '../quotas/quotas.service.js';
import { checkPart, MAX_PARTS } from './skript-parts.js';
import { lockSkript } from './skripts.service.js';

const TABLES = { inputs: 'val', input_secrets: 'val_sealed' } as const;
const ASCII = /^[ -~]*$/;

interface NewInput {
  id: string;
  skript_id: string;
  name: string;
  /** As the table keeps it. */
  value: string | Buffer;
}

/** Puts inputs and input secrets into their tables. */
@Injectable()
export class NewInputsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * @returns the row.
   * @throws {ApiError} 404, 409 `name_taken`, 413 when the skript has as many as it may, 429 `quota_exceeded`.
   */
  async insert<Row>(ownerId: string, table: keyof typeof TABLES, input: NewInput): Promise<Row> {
    const { id, skript_id, name, value } = input;
    const row = [id, skript_id, name, value];
    const insert = `INSERT INTO ${table} (id, skript_id, name, ${TABLES[table]}) SELECT $1::uuid, $2::uuid, $3, $4`;
    if (ASCII.test(name)) {
      // One statement looks and inserts; when it does not insert, what follows finds out why.
      const [inserted] = await this.dataSource.query<Row[]>(
        `${insert} WHERE has_room_for_input($5, $2, $6, $3, $7, $8) RETURNING *`,
        [...row, ownerId, table === 'input_secrets', MAX_PARTS, this.quotas.defaultOf('inputs')],
      );
      if (inserted) return inserted;
    }
    return this.dataSource.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      await checkPart(manager, table, skript_id, name);
      await this.quotas.roomForInput(manager, ownerId);
      const [inserted] = await manager.query<[Row]>(`${insert} RETURNING *`, row);
      return inserted;
    });
  }
}
