import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Platform } from '../harness/platform.js';

jest.setTimeout(120_000);

const RECORDED = 'website/content/api-examples.json';

let platform: Platform;
const shop = createServer((_request, response) => response.end('<title>A shop</title>'));
const shopUrl = () => `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;

beforeAll(async () => {
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  platform = await Platform.start({}, [shopUrl()]);
});
afterAll(async () => {
  shop.close();
  await platform?.close();
});

/** Which fields an answer has; of a list those of its first item. */
function fieldsOf(value: any, at = ''): string[] {
  if (Array.isArray(value)) return value.length > 0 ? fieldsOf(value[0], `${at}[]`) : [];
  if (typeof value !== 'object' || value === null) return [at];
  return Object.keys(value)
    .sort()
    .flatMap(key => fieldsOf(value[key], `${at}.${key}`));
}

test('every call that the API pages show is answered as they say', async () => {
  const now = join(platform.dataDir, 'api-examples.json');
  await promisify(execFile)(process.execPath, ['website/scripts/record-api.mjs', now], {
    env: {
      ...process.env,
      TRAWL_URL: platform.url,
      TRAWL_DATA_DIR: platform.dataDir,
      PRACTICE_URL: shopUrl(),
    },
  });
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
  const made = JSON.parse(readFileSync(now, 'utf8'));
  expect(Object.keys(made)).toEqual(Object.keys(recorded));
  const shape = (calls: Record<string, any>) =>
    Object.entries(calls).map(([name, { status, answer }]) => ({ name, status, fields: fieldsOf(answer) }));
  expect(shape(made)).toEqual(shape(recorded));
});
