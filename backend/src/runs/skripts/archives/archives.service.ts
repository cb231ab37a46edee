import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { fileBytes, LIMITS } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ZipFile } from 'yazl';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { isUniqueViolation } from '../../../platform/common/postgres-errors.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import { SchemaThreads } from '../contracts/schema-threads.service.js';
import { fileNameProblem, MANIFEST } from '../names.js';
import { EDITABLE, Skript } from '../skript.entity.js';
import { filesOf, markStale, putSecrets, replaceFiles, replaceInputs } from '../skript-contents.js';
import { namesOf } from '../skript-parts.js';
import { SkriptsService } from '../skripts.service.js';
import { type ArchivedSkript, skriptOf } from './archive-contents.js';
import type { ReadArchive } from './archive-texts.js';
import type { UploadedSkriptDto } from './archives.dto.js';

/** Values for the fields that a manifest does not contain. */
const DEFAULTS = {
  description: '',
  thumbnail: '',
  category: 'general',
  environment: 'nodejs',
  worker_response_timeout: LIMITS.workerResponseTimeoutMs.default,
  time_limit_ms: LIMITS.timeLimitMs.default,
  warm: false,
  retries: LIMITS.retries.default,
  retry_delay_ms: LIMITS.retryDelayMs.default,
  keep_exchanges: true,
  polite: false,
  proxy: null,
  input_schema: null,
  rows: null,
} as const;
/** How often an upload is tried when concurrent uploads create a skript with the same title. */
const MAX_TRIES = 3;

type Outcome = Omit<UploadedSkriptDto, 'skript'> & { id: string };

/** Uploads and downloads skripts as zip files. */
@Injectable()
export class ArchivesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly skripts: SkriptsService,
    private readonly quotas: QuotasService,
    private readonly box: SecretBox,
    private readonly schemas: SchemaThreads,
  ) {}

  /**
   * Creates the skript of an archive, in one transaction. If the owner has a skript with the same title, overwrites
   * that one if `overwrite` is true, never one with the same category: many skripts share a category.
   * @throws {ApiError} as `skriptOf` does; 409 `title_taken` or `name_taken`; 413 or 429 when a limit or quota is exceeded.
   */
  async upload(ownerId: string, archive: ReadArchive, overwrite = true): Promise<UploadedSkriptDto> {
    const archived = await skriptOf(archive, this.schemas.trials(ownerId));
    const { id, ...outcome } = await this.#put(ownerId, archived, overwrite);
    return { ...outcome, skript: await this.skripts.get(ownerId, id) };
  }

  async #put(ownerId: string, archived: ArchivedSkript, overwrite: boolean, tries = MAX_TRIES): Promise<Outcome> {
    try {
      return await this.dataSource.transaction(manager => this.#write(manager, ownerId, archived, overwrite));
    } catch (error) {
      // A concurrent upload has just created a skript with this title, so overwrite that skript.
      if (tries > 1 && isUniqueViolation(error, 'skripts_owner_id_title_key'))
        return this.#put(ownerId, archived, overwrite, tries - 1);
      throw error;
    }
  }

  async #write(
    manager: EntityManager,
    ownerId: string,
    archived: ArchivedSkript,
    overwrite: boolean,
  ): Promise<Outcome> {
    const { fields, files, inputs, secrets, skipped, ignored_fields } = archived;
    const [known] = await manager.query<{ id: string }[]>(
      'SELECT id FROM skripts WHERE owner_id = $1 AND title = $2 FOR UPDATE',
      [ownerId, fields.title],
    );
    if (known && !overwrite) {
      throw new ApiError(
        'title_taken',
        `You already have a skript titled “${fields.title}”. Upload with \`overwrite=true\` to replace its settings, files and inputs.`,
        { title: fields.title },
      );
    }
    const id = known?.id ?? uuidv7();
    if (!known) await this.quotas.roomForSkript(manager, ownerId);
    await this.#checkRoom(manager, ownerId, id, archived);
    if (known) await manager.update(Skript, { id }, { ...DEFAULTS, ...fields, updated_at: () => 'now()' });
    else await manager.insert(Skript, { ...DEFAULTS, ...fields, id, owner_id: ownerId });
    const changes = await replaceFiles(manager, id, files);
    if (changes.added + changes.changed + changes.removed > 0) await markStale(manager, id);
    return {
      id,
      overwritten: known !== undefined,
      files: changes,
      inputs: await replaceInputs(manager, id, inputs),
      input_secrets: await putSecrets(manager, id, secrets, this.box),
      skipped,
      ignored_fields,
    };
  }

  async #checkRoom(
    manager: EntityManager,
    ownerId: string,
    id: string,
    { files, inputs, secrets }: ArchivedSkript,
  ): Promise<void> {
    const [present] = await manager.query<{ bytes: number; inputs: number }[]>(
      `SELECT (SELECT coalesce(sum(size), 0)::int FROM skript_files WHERE skript_id = $1) AS bytes,
         (SELECT count(*)::int FROM inputs WHERE skript_id = $1) AS inputs`,
      [id],
    );
    const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    await this.quotas.roomForFiles(manager, ownerId, bytes - (present?.bytes ?? 0));
    const kept = new Set(await namesOf(manager, 'input_secrets', id));
    const addedSecrets = secrets.filter(({ name }) => !kept.has(name)).length;
    await this.quotas.roomForInput(manager, ownerId, inputs.length - (present?.inputs ?? 0) + addedSecrets);
  }

  /**
   * Packs a skript into an archive that `upload` accepts, without its input secrets.
   * @throws {ApiError} 404; 413 when the archive would be too large to upload again.
   */
  async download(ownerId: string, id: string): Promise<{ title: string; zip: Readable }> {
    // With this isolation level, all statements read the same snapshot.
    return this.dataSource.transaction('REPEATABLE READ', async manager => {
      const skript = await manager.findOneBy(Skript, { id, owner_id: ownerId });
      if (!skript) throw notFound('skript', id);
      const manifest = JSON.stringify(Object.fromEntries(EDITABLE.map(name => [name, skript[name]])), null, 2);
      const [sizes] = await manager.query<{ bytes: number }[]>(
        `SELECT ((SELECT coalesce(sum(size), 0) FROM skript_files WHERE skript_id = $1)
           + (SELECT coalesce(sum(octet_length(val::text)), 0) FROM inputs WHERE skript_id = $1))::int AS bytes`,
        [id],
      );
      const bytes = Buffer.byteLength(manifest) + (sizes?.bytes ?? 0);
      if (bytes > LIMITS.archiveUnpackedBytes) {
        throw new ApiError(
          'payload_too_large',
          `This skript is too large to download as one archive: its files and inputs are ${bytes} bytes, and the limit is ${LIMITS.archiveUnpackedBytes}. Download its inputs one by one.`,
        );
      }
      const inputs = await manager.query<{ name: string; content: string }[]>(
        'SELECT name, val::text AS content FROM inputs WHERE skript_id = $1 ORDER BY name COLLATE "C"',
        [id],
      );
      const files = (await filesOf(manager, id)).filter(({ name }) => fileNameProblem(name) === null);
      const zip = new ZipFile();
      for (const { name, content } of [{ name: MANIFEST, content: `${manifest}\n` }, ...files, ...inputs]) {
        zip.addBuffer(fileBytes(content), name, { mtime: skript.updated_at, mode: 0o100644 });
      }
      zip.end();
      return { title: skript.title, zip: zip.outputStream as Readable };
    });
  }
}
