import { createReadStream } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors.js';
import { OutgoingHttp } from '../../outgoing/outgoing-http.service.js';
import type { DestinationDto } from './destination.dto.js';
import type { DeliveredFile, ExportDestination } from './destination.js';
import { deliveryFailed, neededFields } from './failures.js';

const CONNECTION_MS = 10_000;
/** A server that takes no byte for this long has failed. */
const IDLE_MS = 60_000;
/** S3 takes no larger object in one request. */
const MAX_BYTES = 5 * 1024 ** 3;

/** Uploads files to Amazon S3 and servers with the same API. */
@Injectable()
export class S3Destination implements ExportDestination {
  constructor(private readonly outgoing: OutgoingHttp) {}

  check(destination: DestinationDto): string {
    const { bucket } = neededFields(destination, ['bucket', 'region', 'access_key_id', 'secret_access_key']);
    return `${bucket}/${destination.prefix ?? ''}`;
  }

  async send(file: DeliveredFile, destination: DestinationDto, signal: AbortSignal): Promise<void> {
    if (file.bytes > MAX_BYTES) {
      throw new ApiError('payload_too_large', `The file has ${file.bytes} bytes; S3 takes ${MAX_BYTES} at once.`);
    }
    const fields = neededFields(destination, ['bucket', 'region', 'access_key_id', 'secret_access_key']);
    // Loaded only when it is needed, because it is large and would delay the start of the backend.
    const { PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
    const client = new S3Client({
      region: fields.region,
      ...(destination.url === undefined ? {} : { endpoint: destination.url }),
      forcePathStyle: destination.path_style,
      credentials: { accessKeyId: fields.access_key_id, secretAccessKey: fields.secret_access_key },
      // A stream cannot be sent twice.
      maxAttempts: 1,
      // Servers other than Amazon's often lack the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        httpAgent: this.outgoing.agents.http,
        httpsAgent: this.outgoing.agents.https,
        connectionTimeout: CONNECTION_MS,
        socketTimeout: IDLE_MS,
      },
    });
    try {
      await client.send(
        new PutObjectCommand({
          Bucket: fields.bucket,
          Key: `${destination.prefix ?? ''}${file.name}`,
          Body: createReadStream(file.path),
          ContentLength: file.bytes,
          ContentType: file.contentType,
        }),
        { abortSignal: signal },
      );
    } catch (error) {
      throw deliveryFailed(`the upload to the bucket ${fields.bucket}`, error);
    }
  }
}
