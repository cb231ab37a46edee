import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from '../common/config.js';
import { loadS3, S3_OPTIONS } from './s3-sdk.js';

const CONNECTION_MS = 2_000;
const MAX_ATTEMPTS = 2;
/** Names of the errors of S3 for an object that does not exist. */
const MISSING = new Set(['NoSuchKey', 'NotFound']);

/** An object that differs from what was uploaded. */
export class DamagedObject extends Error {}

/** The bucket for saved echoes. */
export class S3Bucket {
  #client: Promise<S3Client> | undefined;

  constructor(private readonly settings: S3Settings) {}

  /** @throws {Error} also if the upload takes longer than `timeoutMs`. */
  async put(key: string, bytes: Uint8Array, timeoutMs: number): Promise<void> {
    const { PutObjectCommand } = await loadS3();
    const command = new PutObjectCommand({
      Bucket: this.settings.bucket,
      Key: key,
      Body: bytes,
      ContentLength: bytes.length,
      ContentType: 'application/gzip',
    });
    await (await this.#connect()).send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
  }

  /**
   * Returns null if there is no such object.
   * @throws {DamagedObject} if it has another size than `size`. Its content is then not read.
   */
  async get(key: string, size: number, timeoutMs: number): Promise<Buffer | null> {
    const { GetObjectCommand } = await loadS3();
    const command = new GetObjectCommand({ Bucket: this.settings.bucket, Key: key });
    // The signal also ends the download, because it can stop half-way.
    const aborter = AbortSignal.timeout(timeoutMs);
    try {
      const { Body, ContentLength } = await (await this.#connect()).send(command, { abortSignal: aborter });
      const body = Body as import('node:stream').Readable;
      if (ContentLength !== size) {
        body.destroy();
        throw new DamagedObject(`The object has ${ContentLength} bytes instead of ${size}.`);
      }
      const stop = () => body.destroy(new Error(`The download took longer than ${timeoutMs} ms.`));
      aborter.addEventListener('abort', stop);
      try {
        return Buffer.concat(await body.toArray());
      } finally {
        aborter.removeEventListener('abort', stop);
      }
    } catch (error) {
      if (MISSING.has((error as Error).name)) return null;
      throw error;
    }
  }

  /** Succeeds too if there is no such object. */
  async delete(key: string, timeoutMs: number): Promise<void> {
    const { DeleteObjectCommand } = await loadS3();
    const command = new DeleteObjectCommand({ Bucket: this.settings.bucket, Key: key });
    await (await this.#connect()).send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
  }

  async close(): Promise<void> {
    (await this.#client)?.destroy();
  }

  #connect(): Promise<S3Client> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<S3Client> {
    const { S3Client } = await loadS3();
    const { url, region, pathStyle, credentials } = this.settings;
    return new S3Client({
      ...S3_OPTIONS,
      region,
      ...(url === undefined ? {} : { endpoint: url }),
      ...(credentials === undefined ? {} : { credentials }),
      forcePathStyle: pathStyle,
      maxAttempts: MAX_ATTEMPTS,
      requestHandler: { connectionTimeout: CONNECTION_MS },
    });
  }
}
