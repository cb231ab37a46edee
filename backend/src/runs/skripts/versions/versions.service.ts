import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { type List, parseSort } from '../../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import { checkFiles, filesOf, replaceFiles, type SourceFile } from '../skript-contents.js';
import { lockSkript } from '../skripts.repository.js';
import { SkriptsService } from '../skripts.service.js';
import { compareFiles } from './compare-files.js';
import type { ComparisonDto, RestoredDto, VersionDto, VersionsQuery, VersionWithFilesDto } from './versions.dto.js';

export const SORTABLE = ['built_at', 'created_at'];

interface VersionRow {
  hash: string;
  number: number | null;
  size: number;
  built_by: string;
  username: string | null;
  built_at: Date;
  builds: number;
  created_at: Date;
  current: boolean;
}

/** Versions with `id` as another name for their hash, because lists sort items with equal values by `id`. */
const VERSIONS = `(SELECT hash AS id, * FROM skript_bundles)`;
const COLUMNS = `v.hash, v.number, b.size, v.built_by, u.username, v.built_at, v.builds, v.created_at,
  s.bundle_hash IS NOT DISTINCT FROM v.hash AS current`;
const JOINS = `JOIN bundles b ON b.hash = v.hash JOIN skripts s ON s.id = v.skript_id LEFT JOIN users u ON u.id = v.built_by`;

/** Versions of a skript, one per bundle. If the same files are built again, their version becomes the newest. */
@Injectable()
export class VersionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly skripts: SkriptsService,
    private readonly quotas: QuotasService,
  ) {}

  async list(ownerId: string, skriptId: string, query: VersionsQuery): Promise<List<VersionDto>> {
    await this.#checkOwned(ownerId, skriptId);
    const order = parseSort(query.sort, SORTABLE, '-built_at');
    const { dataSource } = this;
    const where = 'v.skript_id = $1';
    return listSqlPage(
      { dataSource, table: VERSIONS, alias: 'v', columns: COLUMNS, joins: JOINS, where, values: [skriptId] },
      query,
      order,
      toDto,
    );
  }

  async get(ownerId: string, skriptId: string, hash: string): Promise<VersionWithFilesDto> {
    const [row] = await this.dataSource.query<(VersionRow & { files: SourceFile[] })[]>(
      `SELECT ${COLUMNS}, b.files FROM skript_bundles v ${JOINS}
       WHERE v.skript_id = $1 AND v.hash = $2 AND s.owner_id = $3`,
      [skriptId, hash, ownerId],
    );
    if (!row) throw versionNotFound(hash);
    const files = row.files.map(({ name, content }) => ({ name, size: Buffer.byteLength(content), content }));
    return { ...toDto(row), files };
  }

  async compare(ownerId: string, skriptId: string, from: string, to: string): Promise<ComparisonDto> {
    await this.#checkOwned(ownerId, skriptId);
    const [before, after] = await Promise.all(
      [from, to].map(which =>
        which === 'current'
          ? filesOf(this.dataSource.manager, skriptId)
          : filesOfVersion(this.dataSource.manager, skriptId, which),
      ),
    );
    return { from, to, ...(await compareFiles(before as SourceFile[], after as SourceFile[])) };
  }

  /** Restores the files and the bundle of a version, so that they are the skript's current ones. */
  async restore(ownerId: string, skriptId: string, hash: string): Promise<RestoredDto> {
    const files = await this.dataSource.transaction(async manager => {
      await lockSkript(manager, ownerId, skriptId);
      const kept = await filesOfVersion(manager, skriptId, hash);
      checkFiles(kept);
      await this.quotas.roomForFiles(manager, ownerId, bytesOf(kept) - bytesOf(await filesOf(manager, skriptId)));
      const changes = await replaceFiles(manager, skriptId, kept);
      await manager.query('UPDATE skripts SET bundle_hash = $2, stale = false, updated_at = now() WHERE id = $1', [
        skriptId,
        hash,
      ]);
      return changes;
    });
    return { skript: await this.skripts.get(ownerId, skriptId), files };
  }

  async #checkOwned(ownerId: string, skriptId: string): Promise<void> {
    const found = await this.dataSource.query<unknown[]>('SELECT 1 FROM skripts WHERE id = $1 AND owner_id = $2', [
      skriptId,
      ownerId,
    ]);
    if (found.length === 0) throw notFound('skript', skriptId);
  }
}

/** Reads the files of a version. @throws {ApiError} 404, also for a bundle of another skript. */
async function filesOfVersion(manager: EntityManager, skriptId: string, hash: string): Promise<SourceFile[]> {
  const [row] = await manager.query<{ files: SourceFile[] }[]>(
    'SELECT b.files FROM skript_bundles v JOIN bundles b ON b.hash = v.hash WHERE v.skript_id = $1 AND v.hash = $2',
    [skriptId, hash],
  );
  if (!row) throw versionNotFound(hash);
  return row.files;
}

const versionNotFound = (hash: string): ApiError =>
  new ApiError('not_found', `The skript has no version with the hash ${hash}.`);

const bytesOf = (files: SourceFile[]): number =>
  files.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0);

const toDto = (row: VersionRow): VersionDto => ({
  hash: row.hash,
  number: row.number,
  size: row.size,
  built_by: { id: row.built_by, username: row.username },
  built_at: row.built_at.toISOString(),
  builds: row.builds,
  created_at: row.created_at.toISOString(),
  current: row.current,
});
