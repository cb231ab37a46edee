import { timingSafeEqual } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { ApiError } from '../../platform/common/errors.js';
import { SecretBox } from '../../platform/common/secret-box.service.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { JobsService } from '../../platform/jobs/jobs.service.js';

/** A file that is being written has this extension after the number of the attempt. */
const PART = '.part';
const PART_DAYS = 1;
const DAY_MS = 24 * 60 * 60 * 1_000;
const SWEEP_FILES = 1_000;

/** The files of exports, in `exports` in the data folder. The name of a file is the id of its job. */
@Injectable()
export class ExportFilesService implements OnModuleInit, OnApplicationBootstrap {
  readonly #folder: string;

  constructor(
    private readonly jobs: JobsService,
    private readonly secretBox: SecretBox,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Pick<Config, 'dataDir' | 'publicUrl'>,
  ) {
    this.#folder = join(config.dataDir, 'exports');
  }

  onModuleInit(): void {
    this.cleanups.add('files of exports', 'hourly', () => this.sweep(), { ofFiles: true });
  }

  async onApplicationBootstrap(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.sweep();
  }

  /** Returns a URL at which anyone can download the file while Trawl keeps it. */
  linkTo(id: string): string {
    return `${this.config.publicUrl}/joint-api/export-links/${id}?signature=${this.#signaturesOf(id)[0]?.toString('base64url')}`;
  }

  /** Returns whether a signature is that of the link to a file. */
  isSignature(id: string, signature: string): boolean {
    const sent = Buffer.from(signature, 'base64url');
    return this.#signaturesOf(id).some(right => sent.length === right.length && timingSafeEqual(sent, right));
  }

  #signaturesOf(id: string): Buffer[] {
    return this.secretBox.digests('export link', id);
  }

  pathOf(id: string): string {
    return join(this.#folder, id);
  }

  /** Returns where an attempt writes the file. */
  partOf(id: string, attempt: number): string {
    return `${this.pathOf(id)}.${attempt}${PART}`;
  }

  /**
   * Writes the file of one attempt to the disk. Two backends that write the same file do not mix their bytes. The file
   * gets its name by `publish`.
   * @returns its size in bytes.
   * @throws {ApiError} 503 if the disk is full, and the errors of `pieces`.
   */
  async write(id: string, attempt: number, pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    const part = this.partOf(id, attempt);
    try {
      const file = createWriteStream(part, { mode: 0o600, flush: true });
      await pipeline(Readable.from(pieces, { objectMode: false }), file, { signal });
      return file.bytesWritten;
    } catch (error) {
      await this.discard(id, attempt);
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      throw new ApiError('service_unavailable', 'The server’s disk is full. Ask the operator for more space.');
    }
  }

  /** Gives the file of an attempt its name. Call it only while this attempt holds the job. */
  async publish(id: string, attempt: number): Promise<void> {
    await rename(this.partOf(id, attempt), this.pathOf(id));
  }

  /** Removes the file of an attempt, but not one that another attempt has published. */
  async discard(id: string, attempt: number): Promise<void> {
    await rm(this.partOf(id, attempt), { force: true });
  }

  /** Removes what the attempts before this one left. */
  async removeEarlier(id: string, attempt: number): Promise<void> {
    for (let earlier = 1; earlier < attempt; earlier += 1) await this.discard(id, earlier);
  }

  /** Removes the file of an export, and what its attempts left. */
  async remove(id: string): Promise<void> {
    const names = (await readdir(this.#folder)).filter(name => name.startsWith(id));
    for (const name of names) await rm(join(this.#folder, name), { force: true });
  }

  /** Removes files whose job is gone, for example with its account, and parts that a killed backend left behind. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#folder);
    for (let start = 0; start < names.length; start += SWEEP_FILES) {
      const slice = names.slice(start, start + SWEEP_FILES);
      const gone = new Set(await this.jobs.withoutRow(slice.filter(isId).map(idOf)));
      for (const name of slice) {
        const path = join(this.#folder, name);
        if (gone.has(idOf(name)) || (name.endsWith(PART) && (await isOld(path)))) await rm(path, { force: true });
      }
    }
  }
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const isId = (name: string): boolean => ID.test(name);
const idOf = (name: string): string => ID.exec(name)?.[0] ?? '';

async function isOld(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => null);
  return file !== null && Date.now() - file.mtimeMs > PART_DAYS * DAY_MS;
}
