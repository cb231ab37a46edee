import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { ApiError } from '../../platform/common/errors.js';
import { Contention } from '../../platform/common/shares/contention.service.js';
import type { UploadedFile } from '../../platform/http/body/file-body.js';
import { ImportsRepository } from './imports.repository.js';
import { type Encoding, EncodingDetector, encodingOf } from './parsing/encodings.js';
import { isGzip, isPlainText, unpacked } from './parsing/source.js';
import { UnreadableFile } from './parsing/unreadable.js';

const CHUNK_BYTES = 1024 * 1024;
/** Number of imports that an account keeps, with the files of failed ones. */
const MAX_KEPT = 200;

/** Stores uploaded files, so that whichever backend takes the job can read them. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly contention: Contention,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Stores a file and returns the id of its import.
   * @throws {ApiError} 400 for an empty file, 413 for one that is too large, 429 when the account keeps too many.
   */
  async store(ownerId: string, name: string, file: UploadedFile): Promise<string> {
    if ((file.announcedBytes ?? 0) > this.config.importBytes) throw this.#tooLarge();
    const id = await this.imports.begin(ownerId, name, MAX_KEPT);
    if (id === undefined) {
      throw new ApiError('quota_exceeded', `You have ${MAX_KEPT} imports, which is the limit. Delete some.`);
    }
    try {
      await this.#storeChunks(ownerId, id, file);
      return id;
    } catch (error) {
      await this.imports.remove(id);
      throw error;
    }
  }

  async #storeChunks(ownerId: string, id: string, { chunks }: UploadedFile): Promise<void> {
    const detector = new EncodingDetector();
    let start: Buffer | undefined;
    let n = 0;
    let stored = 0;
    for await (const chunk of inChunks(this.contention.paced(ownerId, chunks))) {
      start ??= chunk;
      detector.write(chunk);
      stored += chunk.length;
      if (stored > this.config.importBytes) throw this.#tooLarge();
      const kept = await this.imports.addSource(id, n, chunk);
      n += 1;
      if (kept > this.config.importBytes) {
        throw new ApiError(
          'quota_exceeded',
          `Your uploaded files would have ${kept} bytes; the limit is ${this.config.importBytes}. Delete imports that you no longer need.`,
        );
      }
    }
    if (!start)
      throw new ApiError('bad_request', 'The file is empty. Send a file with rows as the body of the request.');
    await this.imports.finish(
      id,
      isGzip(start) ? await this.#encodingIn(ownerId, id) : isPlainText(start) ? detector.end() : 'none',
    );
  }

  /** Detects the encoding of a compressed file, by as much of its text as a file without compression could have. */
  async #encodingIn(ownerId: string, id: string): Promise<Encoding | 'none'> {
    try {
      const text = this.contention.paced(ownerId, unpacked(this.imports.source(id)));
      return await encodingOf(text, this.config.importBytes);
    } catch (error) {
      // The preview says what is wrong with the file.
      if (error instanceof UnreadableFile) return 'none';
      throw error;
    }
  }

  #tooLarge(): ApiError {
    return new ApiError('payload_too_large', `The file is too large: the limit is ${this.config.importBytes} bytes.`);
  }
}

/** Joins what arrives into chunks of the same size. */
async function* inChunks(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const part of parts) {
    held.push(part);
    bytes += part.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}
