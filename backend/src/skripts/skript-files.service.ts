import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LIMITS } from '@trawl/contracts';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, parseSort } from '../common/list-query.js';
import { listPage } from '../common/list-rows.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { checkFileName, foldersOf } from './names.js';
import { SkriptFile } from './skript-file.entity.js';
import type { CreateSkriptFileDto, SkriptFileDto, SkriptPartsQuery, UpdateSkriptFileDto } from './skript-files.dto.js';
import { checkSameSkript, MAX_PARTS, PART_SORTABLE, partsOf } from './skript-parts.js';
import { lockSkript } from './skripts.service.js';

const LISTED = ['id', 'skript_id', 'name', 'size', 'created_at', 'updated_at'].map(name => `p.${name}`);

@Injectable()
export class SkriptFilesService {
  constructor(
    @InjectRepository(SkriptFile) private readonly files: Repository<SkriptFile>,
    private readonly quotas: QuotasService,
  ) {}

  async list(ownerId: string, query: SkriptPartsQuery): Promise<List<SkriptFileDto>> {
    const matching = partsOf(this.files, ownerId, query).select(LISTED);
    return listPage(matching, query, parseSort(query.sort, [...PART_SORTABLE, 'size']), rows => rows.map(toDto));
  }

  async get(ownerId: string, id: string): Promise<SkriptFileDto> {
    return toDto(await this.#find(ownerId, id));
  }

  async create(ownerId: string, { skript_id, name, content }: CreateSkriptFileDto): Promise<SkriptFileDto> {
    checkFileName(name);
    const id = uuidv7();
    const size = checkedSize(name, content);
    await this.files.manager.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      await checkRoom(manager, { id, skript_id, name, size });
      await this.quotas.roomForFiles(manager, ownerId, size);
      await manager.insert(SkriptFile, { id, skript_id, name, content, size });
      await touch(manager, skript_id);
    });
    return this.get(ownerId, id);
  }

  async update(ownerId: string, id: string, body: UpdateSkriptFileDto): Promise<SkriptFileDto> {
    const { skript_id } = await this.#find(ownerId, id);
    checkSameSkript(skript_id, body.skript_id);
    if (body.name !== undefined) checkFileName(body.name);
    await this.files.manager.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      const row = await manager.findOneBy(SkriptFile, { id, skript_id });
      if (!row) throw notFound('file', id);
      const name = body.name ?? row.name;
      const content = body.content ?? row.content;
      if (name === row.name && content === row.content) return;
      const size = checkedSize(name, content);
      await checkRoom(manager, { id, skript_id, name, size });
      await this.quotas.roomForFiles(manager, ownerId, size - row.size);
      await manager.update(SkriptFile, { id }, { name, content, size, updated_at: () => 'now()' });
      await touch(manager, skript_id);
    });
    return this.get(ownerId, id);
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const { skript_id } = await this.#find(ownerId, id);
    return this.files.manager.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      const { affected } = await manager.delete(SkriptFile, { id });
      if (!affected) throw notFound('file', id);
      await touch(manager, skript_id);
      return { deleted: { skript_files: 1 } };
    });
  }

  async #find(ownerId: string, id: string): Promise<SkriptFile> {
    const row = await partsOf(this.files, ownerId).andWhere('p.id = :id', { id }).getOne();
    if (!row) throw notFound('file', id);
    return row;
  }
}

function checkedSize(name: string, content: string): number {
  const size = Buffer.byteLength(content);
  if (size > LIMITS.fileBytes) {
    throw new ApiError(
      'payload_too_large',
      `${name} is ${size} bytes; a file of a skript may have ${LIMITS.fileBytes}.`,
    );
  }
  return size;
}

/** @throws {ApiError} when the skript's other files leave no room for this one's name or size. */
async function checkRoom(
  manager: EntityManager,
  file: Pick<SkriptFile, 'id' | 'skript_id' | 'name' | 'size'>,
): Promise<void> {
  const [others] = await manager.query<{ count: number; size: number; rival: string | null }[]>(
    `SELECT count(*)::int AS count, coalesce(sum(size), 0)::int AS size,
       min(name) FILTER (WHERE lower(name) = lower($3) OR lower(name) = ANY ($4::text[])
         OR starts_with(lower(name), lower($3) || '/')) AS rival
     FROM skript_files WHERE skript_id = $1 AND id <> $2`,
    [file.skript_id, file.id, file.name, foldersOf(file.name).map(folder => folder.toLowerCase())],
  );
  if (!others) return;
  if (others.rival !== null) {
    throw new ApiError(
      'name_taken',
      `The skript has ${others.rival} already, so it cannot have a file named ${file.name}. Names that differ in case only count as the same.`,
    );
  }
  if (others.count >= MAX_PARTS)
    throw new ApiError('payload_too_large', `The skript has ${MAX_PARTS} files, which is the most it may have.`);
  if (others.size + file.size > LIMITS.skriptBytes) {
    throw new ApiError(
      'payload_too_large',
      `With ${file.name} the files of this skript would be ${others.size + file.size} bytes; together they may have ${LIMITS.skriptBytes}.`,
    );
  }
}

/** The bundle is older than the files from now on. */
async function touch(manager: EntityManager, skriptId: string): Promise<void> {
  await manager.query('UPDATE skripts SET stale = true, updated_at = now() WHERE id = $1', [skriptId]);
}

const toDto = (row: SkriptFile): SkriptFileDto => ({
  ...entityFields(row),
  skript_id: row.skript_id,
  name: row.name,
  content: row.content,
  size: row.size,
});
