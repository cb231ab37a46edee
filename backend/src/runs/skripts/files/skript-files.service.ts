import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LIMITS } from '@trawl/contracts';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { type List, parseSort } from '../../../platform/http/lists/list-query.js';
import { listPage } from '../../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import { checkFileName } from '../names.js';
import { checkedSize, markStale } from '../skript-contents.js';
import type { SkriptPartsQuery } from '../skript-parts.dto.js';
import { checkPart, checkSameSkript, findPart, PART_SORTABLE, partsOf } from '../skript-parts.js';
import { lockSkript } from '../skripts.repository.js';
import { checkIfMatch, contentHash } from './file-etag.js';
import { SkriptFile } from './skript-file.entity.js';
import type {
  CreateSkriptFileDto,
  ListedSkriptFileDto,
  SkriptFileDto,
  UpdateSkriptFileDto,
} from './skript-files.dto.js';

export const SORTABLE = [...PART_SORTABLE, 'size'];

/** All columns but the content, which can have a megabyte. */
const LISTED_COLUMNS = ['id', 'skript_id', 'name', 'size', 'created_at', 'updated_at'];
const LISTED = LISTED_COLUMNS.map(name => `p.${name}`);

@Injectable()
export class SkriptFilesService {
  constructor(
    @InjectRepository(SkriptFile) private readonly files: Repository<SkriptFile>,
    private readonly quotas: QuotasService,
  ) {}

  async list(ownerId: string, query: SkriptPartsQuery): Promise<List<ListedSkriptFileDto>> {
    const matching = partsOf(this.files, ownerId, query).select(LISTED);
    return listPage(matching, query, parseSort(query.sort, SORTABLE), rows => rows.map(toListedDto));
  }

  async get(ownerId: string, id: string): Promise<SkriptFileDto> {
    return toDto(await findPart(partsOf(this.files, ownerId), id, 'file'));
  }

  async create(ownerId: string, { skript_id, name, content }: CreateSkriptFileDto): Promise<SkriptFileDto> {
    checkFileName(name);
    const file = { id: uuidv7(), skript_id, name, content, size: checkedSize(name, content) };
    return this.files.manager.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      await checkRoom(manager, file);
      await this.quotas.roomForFiles(manager, ownerId, file.size);
      const insert = manager.createQueryBuilder().insert().into(SkriptFile).values(file).updateEntity(false);
      const { raw } = await insert.returning(LISTED_COLUMNS).execute();
      await markStale(manager, skript_id);
      return toDto({ ...raw[0], content });
    });
  }

  /** @param ifMatch the request's header `If-Match`, if it has one. */
  async update(ownerId: string, id: string, body: UpdateSkriptFileDto, ifMatch?: string): Promise<SkriptFileDto> {
    const { skript_id } = await this.#find(ownerId, id);
    checkSameSkript(skript_id, body.skript_id);
    if (body.name !== undefined) checkFileName(body.name);
    return this.files.manager.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      const row = await manager.findOneBy(SkriptFile, { id, skript_id });
      if (!row) throw notFound('file', id);
      checkIfMatch(ifMatch, row);
      const name = body.name ?? row.name;
      const content = body.content ?? row.content;
      if (name === row.name && content === row.content) return toDto(row);
      const size = checkedSize(name, content);
      await checkRoom(manager, { id, skript_id, name, size });
      await this.quotas.roomForFiles(manager, ownerId, size - row.size);
      const changed = { name, content, size, updated_at: () => 'now()' };
      const update = manager.createQueryBuilder().update(SkriptFile).set(changed).where({ id });
      const { raw } = await update.returning(LISTED_COLUMNS).execute();
      await markStale(manager, skript_id);
      return toDto({ ...raw[0], content });
    });
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const { skript_id } = await this.#find(ownerId, id);
    return this.files.manager.transaction(async manager => {
      await lockSkript(manager, ownerId, skript_id);
      const { affected } = await manager.delete(SkriptFile, { id });
      if (!affected) throw notFound('file', id);
      await markStale(manager, skript_id);
      return { deleted: { skript_files: 1 } };
    });
  }

  /** Finds a file without its content. */
  #find(ownerId: string, id: string): Promise<Omit<SkriptFile, 'content'>> {
    return findPart(partsOf(this.files, ownerId).select(LISTED), id, 'file');
  }
}

/**
 * @throws {ApiError} 409 when another file has the name; 413 when the skript would have too many or too large files.
 */
async function checkRoom(
  manager: EntityManager,
  file: Pick<SkriptFile, 'id' | 'skript_id' | 'name' | 'size'>,
): Promise<void> {
  await checkPart(manager, 'skript_files', file.skript_id, file.name, file.id);
  const [others] = await manager.query<{ size: number }[]>(
    'SELECT coalesce(sum(size), 0)::int AS size FROM skript_files WHERE skript_id = $1 AND id <> $2',
    [file.skript_id, file.id],
  );
  const totalBytes = file.size + (others?.size ?? 0);
  if (totalBytes > LIMITS.skriptBytes) {
    throw new ApiError(
      'payload_too_large',
      `With ${file.name}, the files of this skript would be ${totalBytes} bytes in total; the limit is ${LIMITS.skriptBytes}.`,
    );
  }
}

const toListedDto = (row: SkriptFile): ListedSkriptFileDto => ({
  ...entityFields(row),
  skript_id: row.skript_id,
  name: row.name,
  size: row.size,
});

const toDto = (row: SkriptFile): SkriptFileDto => ({
  ...toListedDto(row),
  content: row.content,
  hash: contentHash(row.content),
});
