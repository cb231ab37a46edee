import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, parseSelect, parseSort, pick } from '../common/list-query.js';
import { containsPattern, listPage } from '../common/list-rows.js';
import { isUniqueViolation } from '../common/unique-violation.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { lockSchedules } from '../scheduler/skript-schedules.js';
import { inputSchemaProblem } from './input-schema.js';
import { Skript } from './skript.entity.js';
import { deleteSkripts, liveRunsOf } from './skript-deletion.js';
import { SkriptFile } from './skript-file.entity.js';
import type {
  CreateSkriptDto,
  PurgedDto,
  SelectedSkriptDto,
  SkriptDto,
  SkriptFileSummaryDto,
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
/** Not columns of the skript's own row. */
const FROM_FILES = ['howto', 'files'];
/** What an answer is made from, whether or not it then has them. */
const ALWAYS = ['id', 'created_at', 'updated_at'];
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
const HOWTO_NAMES = ['howto.html', 'howto.md'];

@Injectable()
export class SkriptsService {
  constructor(
    @InjectRepository(Skript) private readonly skripts: Repository<Skript>,
    @InjectRepository(SkriptFile) private readonly files: Repository<SkriptFile>,
    private readonly quotas: QuotasService,
  ) {}

  async list(ownerId: string, query: SkriptsQuery): Promise<List<SelectedSkriptDto>> {
    const order = parseSort(query.sort, SORTABLE);
    const fields = query.select ? parseSelect(query.select, FIELDS) : FIELDS_OF_LISTS;
    const matching = this.skripts.createQueryBuilder('s').where('s.owner_id = :ownerId', { ownerId });
    if (query.title_contains) {
      matching.andWhere('s.title ILIKE :title', { title: containsPattern(query.title_contains) });
    }
    if (query.category) matching.andWhere('s.category = :category', { category: query.category });
    const columns = FIELDS.filter(
      name => !FROM_FILES.includes(name) && (fields.includes(name) || ALWAYS.includes(name)),
    );
    matching.select(columns.map(name => `s.${name}`));
    return listPage(matching, query, order, async rows => {
      const ids = rows.map(({ id }) => id);
      const [files, howtos] = await Promise.all([
        fields.includes('files') ? this.#filesOf(ids) : [],
        fields.includes('howto') ? this.#howtosOf(ids, HOWTO_CHARS_IN_LISTS) : [],
      ]);
      const filesOf = groupBySkript(files);
      const howtoOf = new Map(howtos.map(({ skript_id, howto }) => [skript_id, howto]));
      return rows.map(row => pick(toDto(row, filesOf.get(row.id) ?? [], howtoOf.get(row.id) ?? ''), fields));
    });
  }

  async get(ownerId: string, id: string): Promise<SkriptDto> {
    const row = await this.skripts.findOneBy({ id, owner_id: ownerId });
    if (!row) throw notFound('skript', id);
    const [files, howtos] = await Promise.all([this.#filesOf([id]), this.#howtosOf([id], null)]);
    return toDto(row, files, howtos[0]?.howto ?? '');
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

  async #filesOf(skriptIds: string[]): Promise<SkriptFile[]> {
    if (skriptIds.length === 0) return [];
    return this.files
      .createQueryBuilder('f')
      .select(['f.id', 'f.skript_id', 'f.name', 'f.size'])
      .where('f.skript_id IN (:...skriptIds)', { skriptIds })
      .orderBy('f.name')
      .getMany();
  }

  async #howtosOf(skriptIds: string[], chars: number | null): Promise<{ skript_id: string; howto: string }[]> {
    if (skriptIds.length === 0) return [];
    return this.files.query(
      `SELECT DISTINCT ON (skript_id) skript_id, left(content, coalesce($3, length(content))) AS howto
       FROM skript_files WHERE skript_id = ANY($1) AND name = ANY($2) ORDER BY skript_id, name`,
      [skriptIds, HOWTO_NAMES, chars],
    );
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

function groupBySkript(files: SkriptFile[]): Map<string, SkriptFile[]> {
  const groups = new Map<string, SkriptFile[]>();
  for (const file of files) {
    const group = groups.get(file.skript_id);
    if (group) group.push(file);
    else groups.set(file.skript_id, [file]);
  }
  return groups;
}

const toSummary = ({ id, name, size }: SkriptFile): SkriptFileSummaryDto => ({ id, name, size });

const toDto = (row: Skript, files: SkriptFile[], howto: string): SkriptDto => ({
  ...entityFields(row),
  title: row.title,
  description: row.description,
  thumbnail: row.thumbnail,
  category: row.category,
  environment: row.environment,
  worker_response_timeout: row.worker_response_timeout,
  warm: row.warm,
  retries: row.retries,
  retry_delay_ms: row.retry_delay_ms,
  input_schema: row.input_schema,
  howto,
  files: files.map(toSummary),
  stale: row.stale,
  bundle_hash: row.bundle_hash,
});
