import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
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
const CHECK_MS = 60_000;
/** The object with which `check` finds out whether the bucket works. It stays there. */
const CHECK_KEY = 'trawl-health';
const CHECK_BYTES = Buffer.from('Trawl writes this object to check that the bucket works.\n');

type Operation = 'put' | 'get' | 'delete';

interface Outage {
  since: Date;
  /** The error of the request that failed first. */
  reason: string;
}

export interface ObjectStoreState {
  bucket: string;
  /** Null if the last request succeeded. */
  outage: Outage | null;
}

/** The object store of the settings: measures its requests, and logs when an outage begins and ends. */
@Injectable()
export class ObjectStore implements OnApplicationShutdown {
  #opened: { settings: S3Settings; bucket: S3Bucket } | undefined;
  #outage: Outage | null = null;
  #nextTrialAt = 0;

  constructor(
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Pick<Config, 's3' | 'echoStore'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const store = this;
    new Gauge({
      name: 'trawl_object_store_up',
      help: '1 if the last request of this backend to the object store succeeded. Missing without an object store.',
      registers: [metrics.registry],
      collect() {
        if (store.state) this.set(store.state.outage ? 0 : 1);
        else this.remove();
      },
    });
  }

  get isConfigured(): boolean {
    return this.config.s3 !== undefined;
  }

  /** Null if the settings name no object store. */
  get state(): ObjectStoreState | null {
    const { s3 } = this.config;
    return s3 ? { bucket: s3.bucket, outage: this.#outage } : null;
  }

  /**
   * Makes a request, so that an outage is noticed while nobody saves or reads echoes. It writes an object; if new echoes
   * go to PostgreSQL, it only reads that object, because the key may then be one that cannot write.
   */
  @Interval(CHECK_MS)
  async check(): Promise<void> {
    if (!this.isConfigured) return;
    const request =
      this.config.echoStore === 's3'
        ? this.put(CHECK_KEY, CHECK_BYTES, READ_MS)
        : this.get(CHECK_KEY, CHECK_BYTES.length);
    // The request has recorded and logged its failure.
    await request.catch(() => undefined);
  }

  /**
   * Call it before what an upload needs. During an outage, this lets one of many callers try every two seconds, so that
   * failed uploads leave little behind.
   * @throws {ApiError} 503
   */
  assertMayPut(): void {
    if (!this.#outage) return;
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
    if (this.#outage) return;
    const reason = `${error.name}: ${error.message}`;
    this.#outage = { since: new Date(), reason };
    this.#nextTrialAt = performance.now() + TRIAL_MS;
    this.logger.warn({ operation, bucket, reason }, 'object store unavailable; what fails is retried');
  }

  #isBack(): void {
    if (!this.#outage) return;
    this.#outage = null;
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
