import { createReadStream } from 'node:fs';
import { pipeline, type Readable, Transform } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../platform/common/errors.js';
import { loadS3, S3_OPTIONS } from '../../../platform/objects/s3-sdk.js';
import { OutgoingHttp } from '../../../platform/outgoing/outgoing-http.service.js';
import type { DestinationDto } from './destination.dto.js';
import type { DeliveredFile, ExportDestination } from './destination.js';
import { checkUrl, deliveryFailed, neededFields } from './failures.js';

const CONNECTION_MS = 10_000;
/** A server that takes no byte for this long has failed. */
const IDLE_MS = 60_000;
/** A server that takes a file more slowly than this has failed, too: it would keep other exports waiting. */
const START_MS = 60_000;
const MIN_BYTES_PER_MS = 256;
/** The length of an answer. Those to uploads are empty, or an error of some hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** S3 takes no larger object in one request. */
const MAX_BYTES = 5 * 1024 ** 3;

/** Uploads files to Amazon S3 and servers with the same API. */
@Injectable()
export class S3Destination implements ExportDestination {
  constructor(private readonly outgoing: OutgoingHttp) {}

  check(destination: DestinationDto): string {
    const { bucket } = neededFields(destination, ['bucket', 'region', 'access_key_id', 'secret_access_key']);
    checkUrl(this.outgoing, destination);
    return `${bucket}/${destination.prefix ?? ''}`;
  }

  async send(file: DeliveredFile, destination: DestinationDto, signal: AbortSignal): Promise<void> {
    if (file.bytes > MAX_BYTES) {
      throw new ApiError('payload_too_large', `The file has ${file.bytes} bytes; S3 takes ${MAX_BYTES} at once.`);
    }
    const fields = neededFields(destination, ['bucket', 'region', 'access_key_id', 'secret_access_key']);
    const { PutObjectCommand, S3Client } = await loadS3();
    const client = new S3Client({
      ...S3_OPTIONS,
      region: fields.region,
      ...(destination.url === undefined ? {} : { endpoint: destination.url }),
      forcePathStyle: destination.path_style,
      credentials: { accessKeyId: fields.access_key_id, secretAccessKey: fields.secret_access_key },
      // A stream cannot be sent twice.
      maxAttempts: 1,
      requestHandler: {
        httpAgent: this.outgoing.agents.http,
        httpsAgent: this.outgoing.agents.https,
        connectionTimeout: CONNECTION_MS,
        socketTimeout: IDLE_MS,
      },
    });
    // The library would keep an answer of any length in memory.
    client.middlewareStack.add(
      next => async args => {
        const result = await next(args);
        const response = result.response as { body?: Readable };
        if (response.body) response.body = atMost(MAX_ANSWER_BYTES, response.body);
        return result;
      },
      { step: 'deserialize', priority: 'low' },
    );
    const limit = AbortSignal.timeout(START_MS + Math.round(file.bytes / MIN_BYTES_PER_MS));
    const body = createReadStream(file.path);
    try {
      await client.send(
        new PutObjectCommand({
          Bucket: fields.bucket,
          Key: `${destination.prefix ?? ''}${file.name}`,
          Body: body,
          ContentLength: file.bytes,
          ContentType: file.contentType,
        }),
        { abortSignal: AbortSignal.any([signal, limit]) },
      );
    } catch (error) {
      const reason = limit.aborted ? new Error('the server is too slow') : error;
      throw deliveryFailed(`the upload to the bucket ${fields.bucket}`, reason);
    } finally {
      body.destroy();
    }
  }
}

/** Passes on the bytes of a stream, and fails when there are more than `maxBytes`. */
function atMost(maxBytes: number, bytes: Readable): Readable {
  let left = maxBytes;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new Error(`the server’s answer has more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
  // A failure reaches the reader of `counted`.
  return pipeline(bytes, counted, () => {});
}
