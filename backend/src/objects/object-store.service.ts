import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config, type S3Settings } from '../common/config.js';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { Metrics } from '../common/metrics.service.js';
import { DamagedObject, S3Bucket } from './s3-bucket.js';

const READ_MS = 10_000;
const DELETE_MS = 5_000;
const RETRY_AFTER_SECONDS = 10;
/** During an outage, one upload is tried in each of these intervals. */
const TRIAL_MS = 2_000;

type Operation = 'put' | 'get' | 'delete';

/** The object store of the settings: measures its requests, and logs when an outage begins and ends. */
@Injectable()
export class ObjectStore implements OnApplicationShutdown {
  #opened: { settings: S3Settings; bucket: S3Bucket } | undefined;
  #isAway = false;
  #nextTrialAt = 0;

  constructor(
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Pick<Config, 's3'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get isConfigured(): boolean {
    return this.config.s3 !== undefined;
  }

  /**
   * Call it before what an upload needs. During an outage, this lets one of many callers try every two seconds, so that
   * failed uploads leave little behind.
   * @throws {ApiError} 503
   */
  assertMayPut(): void {
    if (!this.#isAway) return;
    if (performance.now() < this.#nextTrialAt) throw unavailable();
    this.#nextTrialAt = performance.now() + TRIAL_MS;
  }

  /** @throws {ApiError} 503 */
  put(key: string, bytes: Uint8Array, timeoutMs: number): Promise<void> {
    return this.#request('put', bucket => bucket.put(key, bytes, timeoutMs));
  }

  /**
   * Returns null if there is no such object.
   * @throws {ApiError} 503
   * @throws {DamagedObject} if it has another size than `size`.
   */
  get(key: string, size: number): Promise<Buffer | null> {
    return this.#request('get', bucket => bucket.get(key, size, READ_MS));
  }

  /** @throws {ApiError} 503 */
  delete(key: string): Promise<void> {
    return this.#request('delete', bucket => bucket.delete(key, DELETE_MS));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#opened?.bucket.close();
  }

  async #request<Result>(operation: Operation, request: (bucket: S3Bucket) => Promise<Result>): Promise<Result> {
    const { s3 } = this.config;
    if (!s3) {
      throw new ApiError(
        'service_unavailable',
        'These echoes are in an object store (S3), but this backend has no settings for it. Ask an administrator to set TRAWL_S3_BUCKET.',
      );
    }
    const end = this.metrics.objectSeconds.startTimer({ operation });
    try {
      const result = await request(this.#bucketOf(s3));
      end({ result: 'ok' });
      this.#isBack();
      return result;
    } catch (error) {
      end({ result: 'error' });
      if (error instanceof DamagedObject) throw error;
      this.#failed(operation, s3.bucket, error as Error);
      throw unavailable();
    }
  }

  #bucketOf(settings: S3Settings): S3Bucket {
    if (this.#opened?.settings !== settings) this.#opened = { settings, bucket: new S3Bucket(settings) };
    return this.#opened.bucket;
  }

  #failed(operation: Operation, bucket: string, error: Error): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#nextTrialAt = performance.now() + TRIAL_MS;
    this.logger.warn(
      { operation, bucket, reason: `${error.name}: ${error.message}` },
      'object store unavailable; what fails is retried',
    );
  }

  #isBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.logger.info('object store available again');
  }
}

const unavailable = (): ApiError =>
  new ApiError(
    'service_unavailable',
    'The object store (S3) with the saved echoes is unavailable. No echoes are lost. Try again later.',
    undefined,
    RETRY_AFTER_SECONDS,
  );
