import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { DeletedDto } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, parseSelect, parseSort } from '../common/list-query.js';
import { containsPattern, listSqlPage } from '../common/list-rows.js';
import { isUniqueViolation } from '../common/unique-violation.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { lockSchedules } from '../scheduler/skript-schedules.js';
import { inputSchemaProblem } from './input-schema.js';
import { Skript } from './skript.entity.js';
import { deleteSkripts, liveRunsOf } from './skript-deletion.js';
import type {
  CreateSkriptDto,
  PurgedDto,
  SelectedSkriptDto,
  SkriptDto,
  SkriptsQuery,
  UpdateSkriptDto,
} from './skripts.dto.js';

const SORTABLE = ['created_at', 'updated_at', 'title', 'category'];
const FIELDS = [
  'id',
  'title',
  'description',
  'thumbnail',
  'category',
  'environment',
  'worker_response_timeout',
  'warm',
  'retries',
  'retry_delay_ms',
  'input_schema',
  'howto',
  'files',
  'stale',
  'bundle_hash',
  'created_at',
  'updated_at',
] as const;
/** A schema may be large, and a list rarely needs it. */
const FIELDS_OF_LISTS = FIELDS.filter(name => name !== 'input_schema');
export const EDITABLE = [
  'title',
  'description',
  'thumbnail',
  'category',
  'environment',
  'worker_response_timeout',
  'warm',
  'retries',
  'retry_delay_ms',
  'input_schema',
] as const;
const HOWTO_CHARS_IN_LISTS = 10_000;

@Injectable()
export class SkriptsService {
  constructor(
    @InjectRepository(Skript) private readonly skripts: Repository<Skript>,
    private readonly quotas: QuotasService,
  ) {}

  async list(ownerId: string, query: SkriptsQuery): Promise<List<SelectedSkriptDto>> {
    const order = parseSort(query.sort, SORTABLE);
    const fields = query.select ? parseSelect(query.select, FIELDS) : FIELDS_OF_LISTS;
    const where = ['s.owner_id = $1'];
    const values: unknown[] = [ownerId];
    if (query.title_contains) {
      where.push(`s.title ILIKE $${values.push(containsPattern(query.title_contains))}`);
    }
    if (query.category) where.push(`s.category = $${values.push(query.category)}`);
    const list = {
      dataSource: this.skripts.manager,
      table: 'skripts',
      alias: 's',
      columns: columnsOf(fields, HOWTO_CHARS_IN_LISTS),
      joins: '',
      where: where.join(' AND '),
      values,
    };
    return listSqlPage(list, query, order, (row: SkriptRow) => toItem(row, fields));
  }

  async get(ownerId: string, id: string): Promise<SkriptDto> {
    const [row] = await this.skripts.query<SkriptRow[]>(
      `SELECT ${columnsOf(FIELDS, null)} FROM skripts s WHERE s.id = $1 AND s.owner_id = $2`,
      [id, ownerId],
    );
    if (!row) throw notFound('skript', id);
    return toItem(row, FIELDS) as SkriptDto;
  }

  async create(ownerId: string, body: CreateSkriptDto): Promise<SkriptDto> {
    const id = uuidv7();
    await titled(body.title, () =>
      this.skripts.manager.transaction(async manager => {
        await this.quotas.roomForSkript(manager, ownerId);
        await manager.insert(Skript, { ...edited(body), id, owner_id: ownerId });
      }),
    );
    return this.get(ownerId, id);
  }

  async update(ownerId: string, id: string, body: UpdateSkriptDto): Promise<SkriptDto> {
    const changes = { ...edited(body), updated_at: () => 'now()' };
    const { affected } = await titled(body.title ?? '', () => this.skripts.update({ id, owner_id: ownerId }, changes));
    if (affected === 0) throw notFound('skript', id);
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 409 `has_live_run` with the execution's id. */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    return this.skripts.manager.transaction(async manager => {
      await lockSchedules(manager, ownerId, id);
      await lockSkript(manager, ownerId, id);
      const execution_id = (await liveRunsOf(manager, ownerId, [id])).get(id);
      if (execution_id !== undefined) {
        throw new ApiError(
          'has_live_run',
          'A run of this skript goes on. Stop it, or wait for its end, then delete the skript.',
          { execution_id },
        );
      }
      return { deleted: await deleteSkripts(manager, [id]) };
    });
  }

  /** Deletes all that have no live run, and names the others. */
  async purge(ownerId: string): Promise<PurgedDto> {
    return this.skripts.manager.transaction(async manager => {
      await lockSchedules(manager, ownerId);
      const rows = await manager.query<{ id: string; title: string }[]>(
        'SELECT id, title FROM skripts WHERE owner_id = $1 ORDER BY id FOR UPDATE',
        [ownerId],
      );
      const ids = rows.map(({ id }) => id);
      const live = await liveRunsOf(manager, ownerId, ids);
      const deleted = await deleteSkripts(
        manager,
        ids.filter(id => !live.has(id)),
      );
      const kept = rows.flatMap(({ id, title }) => {
        const execution_id = live.get(id);
        return execution_id === undefined ? [] : [{ id, title, execution_id }];
      });
      return { deleted, kept };
    });
  }
}

/**
 * Holds the skript's row until the transaction ends, so that changes of what belongs to it follow one another.
 * @throws {ApiError} 404, also for a skript of another user.
 */
export async function lockSkript(manager: EntityManager, ownerId: string, id: string): Promise<void> {
  const [row] = await manager.query<unknown[]>('SELECT 1 FROM skripts WHERE id = $1 AND owner_id = $2 FOR UPDATE', [
    id,
    ownerId,
  ]);
  if (!row) throw notFound('skript', id);
}

/** @throws {ApiError} 400 for an `input_schema` that is none. */
export function edited(body: UpdateSkriptDto): Partial<Skript> {
  const message = inputSchemaProblem(body.input_schema ?? null);
  if (message !== null) {
    throw new ApiError('validation_failed', `input_schema ${message}.`, [{ field: 'input_schema', message }]);
  }
  return Object.fromEntries(EDITABLE.filter(name => body[name] !== undefined).map(name => [name, body[name]]));
}

async function titled<T>(title: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'skripts_owner_id_title_key')) throw error;
    throw new ApiError('title_taken', `You have a skript titled “${title}” already. Choose another title.`);
  }
}

type Field = (typeof FIELDS)[number];
type SkriptRow = Record<Field, unknown>;

/** What SQL reads for each of these fields of the skript `s`. */
function columnsOf(fields: readonly string[], howtoChars: number | null): string {
  const howto = howtoChars === null ? 'f.content' : `left(f.content, ${howtoChars})`;
  const fromFiles: Partial<Record<Field, string>> = {
    files: `(SELECT coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'size', f.size) ORDER BY f.name), '[]')
      FROM skript_files f WHERE f.skript_id = s.id)`,
    howto: `coalesce((SELECT ${howto} FROM skript_files f WHERE f.skript_id = s.id AND f.name IN ('howto.html', 'howto.md')
      ORDER BY f.name LIMIT 1), '')`,
  };
  return fields.map(name => `${fromFiles[name as Field] ?? `s.${name}`} AS ${name}`).join(', ');
}

/** The row's fields are the answer's already, but for what else the statement read, and times. */
function toItem(row: SkriptRow, fields: readonly string[]): SelectedSkriptDto {
  return Object.fromEntries(
    fields.map(name => {
      const value = row[name as Field];
      return [name, value instanceof Date ? value.toISOString() : value];
    }),
  ) as unknown as SelectedSkriptDto;
}
