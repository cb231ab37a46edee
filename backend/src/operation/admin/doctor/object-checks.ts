import { randomBytes, randomUUID } from 'node:crypto';
import type { S3Settings } from '../../../platform/common/config.js';
import { S3Bucket } from '../../../platform/objects/s3-bucket.js';
import { connect } from '../schema.js';
import type { Platform } from '../settings.js';
import { bad, type Finding, info, ok } from './finding.js';

const ANSWER_MS = 10_000;
const PROBE_BYTES = 100;

/** Checks that the bucket for saved echoes works, or that no saved echoes need one. */
export async function checkObjects({ config: { s3, echoStore, postgresUrl } }: Platform): Promise<Finding[]> {
  if (!s3) {
    return (await hasObjects(postgresUrl))
      ? [bad('Saved echoes are in an object store (S3), and cannot be read: set TRAWL_S3_BUCKET as before.')]
      : [info('Saved echoes are in PostgreSQL. To keep them in an object store (S3), set TRAWL_S3_BUCKET.')];
  }
  const stores =
    echoStore === 's3' ? [] : [info('New echoes are saved in PostgreSQL, because of TRAWL_ECHO_STORE=postgres.')];
  return [await checkBucket(s3), ...stores];
}

async function checkBucket(settings: S3Settings): Promise<Finding> {
  const bucket = new S3Bucket(settings);
  const key = `doctor/${randomUUID()}`;
  const probe = randomBytes(PROBE_BYTES);
  let step = 'written';
  try {
    await bucket.put(key, probe, ANSWER_MS);
    step = 'read';
    const found = await bucket.get(key, PROBE_BYTES, ANSWER_MS);
    if (!found?.equals(probe)) throw new Error('an object is not there after its upload');
    step = 'deleted';
    await bucket.delete(key, ANSWER_MS);
    return ok(`Objects can be written, read and deleted in the bucket ${settings.bucket}.`);
  } catch (error) {
    const { name, message } = error as Error;
    return bad(
      `Objects cannot be ${step} in the bucket ${settings.bucket}: ${name}: ${message}. Check the settings TRAWL_S3_…, and that the key may put, get and delete objects.`,
    );
  } finally {
    await bucket.close();
  }
}

/** Returns false if PostgreSQL cannot be reached or has no such table: another check reports that. */
async function hasObjects(postgresUrl: string): Promise<boolean> {
  const client = await connect(postgresUrl).catch(() => null);
  try {
    const found = await client?.query('SELECT FROM echo_chunks WHERE object_key IS NOT NULL LIMIT 1').catch(() => null);
    return found?.rowCount === 1;
  } finally {
    await client?.end();
  }
}
