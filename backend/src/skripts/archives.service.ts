import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ZipFile } from 'yazl';
import { ApiError, notFound } from '../common/errors.js';
import { SecretBox } from '../common/secret-box.js';
import { isUniqueViolation } from '../common/unique-violation.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { type ArchivedSkript, readSkriptArchive } from './archive-contents.js';
import type { UploadedSkriptDto } from './archives.dto.js';
import { fileNameProblem, MANIFEST } from './names.js';
import { Skript } from './skript.entity.js';
import { filesOf, putSecrets, replaceFiles, replaceInputs, touch } from './skript-contents.js';
import { namesOf } from './skript-parts.js';
import { EDITABLE, SkriptsService } from './skripts.service.js';

/** What a skript has where a manifest says nothing. */
const DEFAULTS = {
  description: '',
  thumbnail: '',
  category: 'general',
  environment: 'nodejs',
  worker_response_timeout: LIMITS.workerResponseTimeoutMs.default,
  warm: false,
  retries: LIMITS.retries.default,
  retry_delay_ms: LIMITS.retryDelayMs.default,
  input_schema: null,
} as const;
/** Until the skript of a title that came or went meanwhile is seen. */
const MAX_TRIES = 3;

type Outcome = Omit<UploadedSkriptDto, 'skript'> & { id: string };

/** A whole skript as one zip file, out and in. */
@Injectable()
export class ArchivesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly skripts: SkriptsService,
    private readonly quotas: QuotasService,
    private readonly box: SecretBox,
  ) {}

  /**
   * Makes the skript that the archive holds, or makes the one of that title like it: all of it or nothing.
   * @throws {ApiError} as `readSkriptArchive` does; 409 `name_taken`, 413 and 429 when there is no room for it.
   */
  async upload(ownerId: string, bytes: Buffer): Promise<UploadedSkriptDto> {
    const archived = await readSkriptArchive(bytes);
    const { id, ...outcome } = await this.#put(ownerId, archived);
    return { ...outcome, skript: await this.skripts.get(ownerId, id) };
  }

  async #put(ownerId: string, archived: ArchivedSkript, tries = MAX_TRIES): Promise<Outcome> {
    try {
      return await this.dataSource.transaction(manager => this.#write(manager, ownerId, archived));
    } catch (error) {
      // Another upload made it in between: now it is there to be overwritten.
      if (tries > 1 && isUniqueViolation(error, 'skripts_owner_id_title_key'))
        return this.#put(ownerId, archived, tries - 1);
      throw error;
    }
  }

  async #write(manager: EntityManager, ownerId: string, archived: ArchivedSkript): Promise<Outcome> {
    const { fields, files, inputs, secrets } = archived;
    const [known] = await manager.query<{ id: string }[]>(
      'SELECT id FROM skripts WHERE owner_id = $1 AND title = $2 FOR UPDATE',
      [ownerId, fields.title],
    );
    const id = known?.id ?? uuidv7();
    if (!known) await this.quotas.roomForSkript(manager, ownerId);
    await this.#checkRoom(manager, ownerId, id, archived);
    if (known) await manager.update(Skript, { id }, { ...DEFAULTS, ...fields, updated_at: () => 'now()' });
    else await manager.insert(Skript, { ...DEFAULTS, ...fields, id, owner_id: ownerId });
    const changes = await replaceFiles(manager, id, files);
    if (changes.added + changes.changed + changes.removed > 0) await touch(manager, id);
    return {
      id,
      overwritten: known !== undefined,
      files: changes,
      inputs: await replaceInputs(manager, id, inputs),
      input_secrets: await putSecrets(manager, id, secrets, this.box),
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
   * The archive that `upload` takes. It never has an input secret in it.
   * @throws {ApiError} 404; 413 when it would be larger than an upload may be.
   */
  async download(ownerId: string, id: string): Promise<{ title: string; zip: Readable }> {
    // One moment of the skript, however many statements read it.
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
          `The files and inputs of this skript are ${bytes} bytes; an archive may have ${LIMITS.archiveUnpackedBytes}. Read its inputs one by one.`,
        );
      }
      const inputs = await manager.query<{ name: string; content: string }[]>(
        'SELECT name, val::text AS content FROM inputs WHERE skript_id = $1 ORDER BY name COLLATE "C"',
        [id],
      );
      const files = (await filesOf(manager, id)).filter(({ name }) => fileNameProblem(name) === null);
      const zip = new ZipFile();
      for (const { name, content } of [{ name: MANIFEST, content: `${manifest}\n` }, ...files, ...inputs]) {
        zip.addBuffer(Buffer.from(content), name, { mtime: skript.updated_at, mode: 0o100644 });
      }
      zip.end();
      return { title: skript.title, zip: zip.outputStream as Readable };
    });
  }
}
