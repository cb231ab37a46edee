import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @ts-expect-error: the package has no types
import S3rver from 's3rver';
import type { S3Settings } from '../../src/platform/common/config.js';

/** s3rver keeps each object in a file with this ending. */
const OBJECT_FILE = '._S3rver_object';
const BUCKET = 'echoes';

export interface TestS3 {
  settings: S3Settings;
  /** Keys of all objects. */
  keys: () => string[];
  /** Changes the content of an object but not its size. */
  damage: (key: string) => void;
  close: () => Promise<void>;
}

/** Starts an S3 server with an empty bucket. */
export async function startTestS3(): Promise<TestS3> {
  const directory = mkdtempSync(join(tmpdir(), 'trawl-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  return {
    settings: {
      bucket: BUCKET,
      url: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      pathStyle: true,
    },
    keys: () =>
      readdirSync(join(directory, BUCKET), { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith(OBJECT_FILE))
        .map(file => file.slice(0, -OBJECT_FILE.length))
        .sort(),
    damage: key => {
      const file = join(directory, BUCKET, key + OBJECT_FILE);
      const bytes = readFileSync(file);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      writeFileSync(file, bytes);
    },
    close: async () => {
      await server.close();
      rmSync(directory, { recursive: true });
    },
  };
}
