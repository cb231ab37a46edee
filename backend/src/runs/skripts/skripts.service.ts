import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { DeletedDto } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { isUniqueViolation } from '../../platform/common/postgres-errors.js';
import { type List, parseSelect, parseSort } from '../../platform/http/lists/list-query.js';
import { containsPattern, listSqlPage } from '../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';
import { inputSchemaProblem } from './inputs/input-schema.js';
import { EDITABLE, Skript } from './skript.entity.js';
import { lockSchedules } from './skript-schedules.js';
import type {
  CreateSkriptDto,
  PurgedDto,
  SelectedSkriptDto,
  SkriptDto,
  SkriptsQuery,
  UpdateSkriptDto,
} from './skripts.dto.js';
import { deleteSkripts, liveRunsOf, lockSkript, lockSkriptsOf } from './skripts.repository.js';

export const SORTABLE = ['created_at', 'updated_at', 'title', 'category'];
const FIELDS = ['id', ...EDITABLE, 'howto', 'files', 'stale', 'bundle_hash', 'created_at', 'updated_at'] as const;
/** Fields in lists. The schema may be large, so lists contain it only if `select` names it. */
const LIST_FIELDS = FIELDS.filter(name => name !== 'input_schema');
const HOWTO_CHARS_IN_LISTS = 10_000;
/** Room for the largest thumbnails of 50 skripts. A backend makes one answer at a time, so a large one delays others. */
const THUMBNAIL_BYTES_IN_LISTS = 12_000_000;

@Injectable()
export class SkriptsService {
  constructor(
    @InjectRepository(Skript) private readonly skripts: Repository<Skript>,
    private readonly quotas: QuotasService,
  ) {}

  /** @throws {ApiError} 413 when the thumbnails of the page are too large together. */
  async list(ownerId: string, query: SkriptsQuery): Promise<List<SelectedSkriptDto>> {
    const order = parseSort(query.sort, SORTABLE);
    const fields = query.select ? parseSelect(query.select, FIELDS) : LIST_FIELDS;
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
      columns: columnsOf(fields, HOWTO_CHARS_IN_LISTS, THUMBNAILS_IN_LISTS),
      joins: '',
      where: where.join(' AND '),
      values,
    };
    return listSqlPage(list, query, order, (row: SkriptRow) => {
      if (row.thumbnail === null) throw THUMBNAILS_TOO_LARGE;
      return toItem(row);
    });
  }

  async get(ownerId: string, id: string): Promise<SkriptDto> {
    const [row] = await this.skripts.query<SkriptRow[]>(
      `SELECT ${columnsOf(FIELDS, null)} FROM skripts s WHERE s.id = $1 AND s.owner_id = $2`,
      [id, ownerId],
    );
    if (!row) throw notFound('skript', id);
    return toItem(row) as SkriptDto;
  }

  async create(ownerId: string, body: CreateSkriptDto): Promise<SkriptDto> {
    const id = uuidv7();
    await withTitleCheck(body.title, () =>
      this.skripts.manager.transaction(async manager => {
        await this.quotas.roomForSkript(manager, ownerId);
        await manager.insert(Skript, { ...edited(body), id, owner_id: ownerId });
      }),
    );
    return this.get(ownerId, id);
  }

  async update(ownerId: string, id: string, body: UpdateSkriptDto): Promise<SkriptDto> {
    const changes = { ...edited(body), updated_at: () => 'now()' };
    const { affected } = await withTitleCheck(body.title ?? '', () =>
      this.skripts.update({ id, owner_id: ownerId }, changes),
    );
    if (affected === 0) throw notFound('skript', id);
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 404; 409 `has_live_run` with the execution's id. */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    return this.skripts.manager.transaction(async manager => {
      await lockSchedules(manager, ownerId, id);
      await lockSkript(manager, ownerId, id);
      const execution_id = (await liveRunsOf(manager, ownerId, [id])).get(id);
      if (execution_id !== undefined) {
        throw new ApiError(
          'has_live_run',
          'The skript is running. Stop the run or wait until it ends, then delete the skript.',
          { execution_id },
        );
      }
      return { deleted: await deleteSkripts(manager, [id]) };
    });
  }

  /** Deletes all skripts of the owner that have no live run. The response lists the skripts that remain. */
  async purge(ownerId: string): Promise<PurgedDto> {
    return this.skripts.manager.transaction(async manager => {
      await lockSchedules(manager, ownerId);
      const rows = await lockSkriptsOf(manager, ownerId);
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
 * Picks the fields to store from a request body.
 * @throws {ApiError} 400 for an invalid `input_schema`.
 */
export function edited(body: UpdateSkriptDto): Partial<Skript> {
  const message = inputSchemaProblem(body.input_schema ?? null);
  if (message !== null) {
    throw new ApiError('validation_failed', `input_schema ${message}.`, [{ field: 'input_schema', message }]);
  }
  return Object.fromEntries(EDITABLE.filter(name => body[name] !== undefined).map(name => [name, body[name]]));
}

async function withTitleCheck<T>(title: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'skripts_owner_id_title_key')) throw error;
    throw new ApiError('title_taken', `You already have a skript titled “${title}”. Choose another title.`);
  }
}

type Field = (typeof FIELDS)[number];
type SkriptRow = Record<Field, unknown>;

/** The thumbnails of a page; null if they are too large together, so that PostgreSQL does not even read them. */
const THUMBNAILS_IN_LISTS = `CASE WHEN sum(octet_length(s.thumbnail)) OVER () <= ${THUMBNAIL_BYTES_IN_LISTS} THEN s.thumbnail END`;
const THUMBNAILS_TOO_LARGE = new ApiError(
  'payload_too_large',
  `The thumbnails of these skripts have more than ${THUMBNAIL_BYTES_IN_LISTS / 1_000_000} MB. Lower \`limit\`, or list other fields with \`select\`.`,
);

/** Builds the list of columns of a SELECT for these fields of the skript `s`. */
function columnsOf(fields: readonly string[], howtoChars: number | null, thumbnail = 's.thumbnail'): string {
  const howto = howtoChars === null ? 'f.content' : `left(f.content, ${howtoChars})`;
  const made: Partial<Record<Field, string>> = {
    thumbnail,
    files: `(SELECT coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'size', f.size) ORDER BY f.name), '[]')
      FROM skript_files f WHERE f.skript_id = s.id)`,
    howto: `coalesce((SELECT ${howto} FROM skript_files f WHERE f.skript_id = s.id AND f.name IN ('howto.html', 'howto.md')
      ORDER BY f.name LIMIT 1), '')`,
  };
  return fields.map(name => `${made[name as Field] ?? `s.${name}`} AS ${name}`).join(', ');
}

/** Formats the times of a row in place, because a copy of each row of a list costs more. The row is then the response. */
function toItem(row: SkriptRow): SelectedSkriptDto {
  for (const name of ['created_at', 'updated_at'] as const) {
    const value = row[name];
    if (value instanceof Date) row[name] = value.toISOString();
  }
  return row as unknown as SelectedSkriptDto;
}
