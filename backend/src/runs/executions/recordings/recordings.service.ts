import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import { v7 as uuidv7 } from 'uuid';
import { StorageUsageService } from '../../../data/storage/usage/storage-usage.service.js';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import type { UploadedFile } from '../../../platform/http/body/file-body.js';
import { ObjectStore } from '../../../platform/objects/object-store.service.js';
import { ExecutionsService } from '../records/executions.service.js';
import type { RecordQuery } from './recordings.dto.js';
import { RecordingsRepository } from './recordings.repository.js';

const PART_BYTES = 1024 * 1024;
const PUT_MS = 30_000;
const CONTROLS = /\p{Cc}+/gu;

/** Keeps the records of runs, in parts, in the store that echoes are in too. */
@Injectable()
export class RecordingsService implements OnModuleInit {
  constructor(
    private readonly repository: RecordingsRepository,
    private readonly executions: ExecutionsService,
    private readonly usage: StorageUsageService,
    private readonly objects: ObjectStore,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Pick<Config, 'echoStore'>,
  ) {}

  onModuleInit(): void {
    this.usage.addMeter(ownerId => this.repository.bytesOf(ownerId));
    this.cleanups.add('records of runs', 'nightly', () => this.repository.deleteExpired());
  }

  /**
   * Saves the record of a run that its worker uploads. Replaces an earlier one, because the answer to that upload may be
   * lost. A record for which the account has no room is dropped, and the run shows why. An upload without bytes only
   * tells why there is no record.
   *
   * @throws {ApiError} 404 if the run was deleted or belongs to another worker, 413, 503.
   */
  async save(
    workerId: string,
    id: string,
    { exchanges, problem: told = null }: RecordQuery,
    { chunks, announcedBytes }: UploadedFile,
  ): Promise<void> {
    const run = await this.repository.runOf(workerId, id);
    if (!run) throw notFound('run of this worker', id);
    // The worker may belong to somebody else, and its text comes to a terminal.
    const problem = told?.replaceAll(CONTROLS, ' ') ?? null;
    if (announcedBytes === undefined || announcedBytes > LIMITS.recordBytes) throw tooLarge(announcedBytes);
    await this.repository.deleteParts(id);
    try {
      if (announcedBytes > 0) await this.usage.reserve(run.ownerId, announcedBytes);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.repository.setRecord(id, { bytes: 0, exchanges: 0, problem: error.message });
      for await (const _ of chunks);
      return;
    }
    try {
      const bytes = await this.#saveParts(run.ownerId, id, chunks);
      // Another upload of the same record deletes the parts of this one.
      if (!(await this.repository.setRecord(id, { bytes, exchanges, problem })))
        throw new ApiError('service_unavailable', `Another upload has replaced parts of the record of run ${id}.`);
    } catch (error) {
      await this.repository.deleteParts(id);
      throw error;
    }
  }

  /**
   * Reads the record of a run of the owner.
   *
   * @throws {ApiError} 404.
   */
  async read(ownerId: string, id: string): Promise<{ bytes: number; parts: AsyncIterable<Buffer> }> {
    const { record } = await this.executions.get(ownerId, id);
    if (!record) throw notFound('record of the run', id);
    if (record.bytes === 0) throw new ApiError('not_found', `The run ${id} has no record. ${record.problem}`);
    return { bytes: record.bytes, parts: this.#parts(id) };
  }

  /**
   * Reads the record that a run on this worker replays.
   *
   * @throws {ApiError} 404.
   */
  async readFor(workerId: string, id: string): Promise<AsyncIterable<Buffer>> {
    const isNeeded = await this.repository.isReplayedBy(workerId, id);
    if (!isNeeded || !(await this.repository.part(id, 1))) throw notFound('record of a replay on this worker', id);
    return this.#parts(id);
  }

  async #saveParts(ownerId: string, id: string, chunks: AsyncIterable<Buffer>): Promise<number> {
    let n = 0;
    let bytes = 0;
    for await (const part of partsOf(chunks)) {
      n += 1;
      bytes += part.length;
      if (bytes > LIMITS.recordBytes) throw tooLarge(bytes);
      if (!(await this.#savePart(ownerId, id, n, part))) throw notFound('run', id);
    }
    return bytes;
  }

  async #savePart(ownerId: string, id: string, n: number, data: Buffer): Promise<boolean> {
    const bytes = data.length;
    if (this.config.echoStore !== 's3')
      return this.repository.addPart(id, ownerId, { n, bytes, data, object_key: null });
    const object_key = `records/${id}/${n}-${uuidv7()}`;
    this.objects.assertMayPut();
    await this.repository.beginObject(object_key);
    await this.objects.put(object_key, data, PUT_MS);
    return this.repository.addPart(id, ownerId, { n, bytes, data: null, object_key });
  }

  async *#parts(id: string): AsyncGenerator<Buffer> {
    for (let n = 1; ; n += 1) {
      const part = await this.repository.part(id, n);
      if (!part) return;
      const data = part.data ?? (await this.objects.get(part.object_key as string, part.bytes));
      if (!data)
        throw new ApiError(
          'service_unavailable',
          `Part ${n} of the record of run ${id} is missing in the object store.`,
        );
      yield data;
    }
  }
}

/** Divides an upload into parts, of which one is in memory at a time. */
async function* partsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(pieces);
    [pieces, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}

const tooLarge = (bytes: number | undefined): ApiError =>
  new ApiError(
    'payload_too_large',
    `A record may have ${LIMITS.recordBytes} bytes, and its upload must announce them; you sent ${bytes ?? 'no Content-Length'}.`,
  );
