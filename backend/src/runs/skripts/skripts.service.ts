import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CoalescedLookups } from '../../platform/common/batching/shared-lookups.js';
import type { DeletedDto } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { isUniqueViolation } from '../../platform/common/postgres-errors.js';
import { jsonTime, listJsonPage } from '../../platform/http/lists/json-page.js';
import { parseSelect, parseSort } from '../../platform/http/lists/list-query.js';
import { containsPattern } from '../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';
import { checkContract, type TrySchema } from './contracts/contract-check.js';
import { jsonSchemaProblem } from './contracts/json-schema.js';
import { SchemaThreads } from './contracts/schema-threads.service.js';
import { HAS_LAST_RESULT, SKRIPTS_WITH_LAST_RUN } from './last-results.js';
import { EDITABLE, LABELS, Skript } from './skript.entity.js';
import { lockSchedules } from './skript-schedules.js';
import type { CreateSkriptDto, PurgedDto, SkriptDto, SkriptsQuery, UpdateSkriptDto } from './skripts.dto.js';
import { deleteSkripts, liveRunsOf, lockSkript, lockSkriptsOf } from './skripts.repository.js';

export const SORTABLE = ['created_at', 'updated_at', 'title', 'category', 'favourite', 'last_run_at'];
const FIELDS = [
  'id',
  ...EDITABLE,
  ...LABELS,
  'howto',
  'files',
  'stale',
  'bundle_hash',
  'next_fire_at',
  'created_at',
  'updated_at',
] as const;
/** Fields in lists. Schemas may be large, and the next fire is in another table: `select` must name them. */
const LIST_FIELDS = FIELDS.filter(name => name !== 'input_schema' && name !== 'rows' && name !== 'next_fire_at');
const HOWTO_CHARS_IN_LISTS = 10_000;
/** Room for the largest thumbnails of 50 skripts. A backend makes one answer at a time, so a large one delays others. */
const THUMBNAIL_BYTES_IN_LISTS = 12_000_000;

@Injectable()
export class SkriptsService {
  readonly #counts = new CoalescedLookups();

  constructor(
    @InjectRepository(Skript) private readonly skripts: Repository<Skript>,
    private readonly quotas: QuotasService,
    private readonly schemas: SchemaThreads,
  ) {}

  /**
   * Returns the list as JSON text.
   * @throws {ApiError} 413 when the thumbnails of the page are too large together.
   */
  async list(ownerId: string, query: SkriptsQuery): Promise<string> {
    const order = parseSort(query.sort, SORTABLE);
    const fields = query.select ? parseSelect(query.select, FIELDS) : LIST_FIELDS;
    const where = ['s.owner_id = $1'];
    const values: unknown[] = [ownerId];
    if (query.title_contains) {
      where.push(`s.title ILIKE $${values.push(containsPattern(query.title_contains))}`);
    }
    if (query.category) where.push(`s.category = $${values.push(query.category)}`);
    if (query.tag) where.push(`$${values.push(query.tag)} = ANY (s.tags)`);
    if (query.last_result) where.push(HAS_LAST_RESULT[query.last_result]);
    const list = {
      dataSource: this.skripts.manager.connection,
      table: order.some(([field]) => field === 'last_run_at') ? SKRIPTS_WITH_LAST_RUN : 'skripts',
      alias: 's',
      columns: columnsOf(fields, { ...LISTED_TIMES, thumbnail: `CASE WHEN ${THUMBNAILS_FIT} THEN s.thumbnail END` }),
      joins: partsFor(fields, HOWTO_CHARS_IN_LISTS),
      where: where.join(' AND '),
      values,
      fits: fields.includes('thumbnail') ? THUMBNAILS_FIT : 'true',
      tooLarge: THUMBNAILS_TOO_LARGE,
      counts: this.#counts,
      ...(query.select || where.length > 1 ? {} : { name: 'list of skripts' }),
    };
    return listJsonPage(list, query, order);
  }

  async get(ownerId: string, id: string): Promise<SkriptDto> {
    const [row] = await this.skripts.query<SkriptRow[]>(
      `SELECT ${columnsOf(FIELDS)} FROM skripts s ${partsFor(FIELDS, null)} WHERE s.id = $1 AND s.owner_id = $2`,
      [id, ownerId],
    );
    if (!row) throw notFound('skript', id);
    return toDto(row);
  }

  async create(ownerId: string, body: CreateSkriptDto): Promise<SkriptDto> {
    const id = uuidv7();
    const fields = await edited(body, this.schemas.trials(ownerId));
    await withTitleCheck(body.title, () =>
      this.skripts.manager.transaction(async manager => {
        await this.quotas.roomForSkript(manager, ownerId);
        await manager.insert(Skript, { ...fields, id, owner_id: ownerId });
      }),
    );
    return this.get(ownerId, id);
  }

  async update(ownerId: string, id: string, body: UpdateSkriptDto): Promise<SkriptDto> {
    const fields = await edited(body, this.schemas.trials(ownerId));
    const isLabelled = Object.keys(fields).every(name => (LABELS as readonly string[]).includes(name));
    const changes = isLabelled ? { id, ...fields } : { ...fields, updated_at: () => 'now()' };
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
 * @throws {ApiError} 400 for an invalid `input_schema` or contract.
 */
export async function edited(body: UpdateSkriptDto, trySchema: TrySchema): Promise<Partial<Skript>> {
  await checkContract(body.rows ?? null, trySchema);
  const message = jsonSchemaProblem(body.input_schema ?? null);
  if (message !== null) {
    throw new ApiError('validation_failed', `input_schema ${message}.`, [{ field: 'input_schema', message }]);
  }
  const names = [...EDITABLE, ...LABELS].filter(name => body[name] !== undefined);
  return Object.fromEntries(names.map(name => [name, body[name]]));
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

/** A condition for a page in which the thumbnails are not too large together. PostgreSQL does not read them for it. */
const THUMBNAILS_FIT = `coalesce((SELECT sum(octet_length(s.thumbnail)) FROM page s), 0) <= ${THUMBNAIL_BYTES_IN_LISTS}`;
const THUMBNAILS_TOO_LARGE = new ApiError(
  'payload_too_large',
  `The thumbnails of these skripts have more than ${THUMBNAIL_BYTES_IN_LISTS / 1_000_000} MB. Lower \`limit\`, or list other fields with \`select\`.`,
);

const PARTS: Partial<Record<Field, string>> = { files: 'parts.files', howto: 'parts.howto' };

const NEXT_FIRE = '(SELECT min(n.next_fire_at) FROM schedules n WHERE n.skript_id = s.id AND n.enabled)';

/** Builds the list of columns of a SELECT for these fields of the skript `s`. `made` has the SQL of fields that are no columns. */
function columnsOf(fields: readonly string[], made: Partial<Record<Field, string>> = {}): string {
  const sql = { next_fire_at: NEXT_FIRE, ...PARTS, ...made };
  return fields.map(name => `${sql[name as Field] ?? `s.${name}`} AS ${name}`).join(', ');
}

/** Returns the join that reads a skript's files once, for the fields `files` and `howto`. Empty if neither is among the fields. */
function partsFor(fields: readonly string[], howtoChars: number | null): string {
  if (!fields.some(name => Object.hasOwn(PARTS, name))) return '';
  const content = howtoChars === null ? 'f.content' : `left(f.content, ${howtoChars})`;
  return `CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'size', f.size) ORDER BY f.name), '[]') AS files,
      coalesce((array_agg(${content} ORDER BY f.name) FILTER (WHERE f.name IN ('howto.html', 'howto.md')))[1], '') AS howto
    FROM skript_files f WHERE f.skript_id = s.id) parts`;
}

/** The times of a skript in the format of the API. */
const LISTED_TIMES = {
  created_at: jsonTime('s.created_at'),
  updated_at: jsonTime('s.updated_at'),
  next_fire_at: jsonTime(NEXT_FIRE),
};

const toDto = (row: SkriptRow): SkriptDto =>
  ({
    ...row,
    next_fire_at: (row.next_fire_at as Date | null)?.toISOString() ?? null,
    created_at: (row.created_at as Date).toISOString(),
    updated_at: (row.updated_at as Date).toISOString(),
  }) as SkriptDto;
