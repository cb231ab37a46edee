import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { type Answer, Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';

jest.setTimeout(120_000);

const EMAIL = 'ada@example.com';
const PASSWORD = 'nets and knots';

let platform: Platform;

beforeAll(async () => {
  platform = await Platform.start();
});
afterAll(() => platform?.close());

async function call(method: string, path: string, body?: object, token?: string): Promise<Answer> {
  const response = await fetch(platform.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** The token of the link that the sign-up's e-mail has. */
async function activation(): Promise<string> {
  const folder = join(platform.dataDir, 'mail');
  return until(async () => {
    // There is no folder before the first e-mail.
    for (const name of readdirSync(folder)) {
      const { to, text } = await PostalMime.parse(readFileSync(join(folder, name)));
      const token = to?.[0]?.address === EMAIL && text?.match(/set-password\?token=([\w-]+)/)?.[1];
      if (token) return token;
    }
    return null;
  }, `e-mail to ${EMAIL}`);
}

test('a stranger signs up, has a worker that contains their code, and runs a skript on it', async () => {
  const profile = { first_name: 'Ada', last_name: 'Lovelace', email: EMAIL, city: 'Zagreb', country: 'Croatia' };
  expect((await call('POST', '/www/users/register', { ...profile, x: 3, y: 4, result: '7' })).status).toBe(200);
  const token = await activation();
  expect((await call('POST', '/www/users/set-password', { token, password: PASSWORD })).status).toBe(200);
  const login = await call('POST', '/panel/login', { username: EMAIL, password: PASSWORD });
  const ada = (method: string, path: string, body?: object) => call(method, path, body, login.body.jwtToken);

  const [worker] = (await ada('GET', '/apps/workers/list')).body.items;
  const isFull = worker.sandbox === 'full';
  expect(worker.usable).toBe(isFull);
  expect((await ada('GET', '/joint-api/account')).body.free_worker).toBe(isFull ? 'assigned' : 'waiting');
  const { body: skript } = await ada('POST', '/joint-api/skripts/addnew', { title: 'First' });
  const content = `module.exports = async n => ({ doubled: 2 * n });`;
  await ada('POST', '/joint-api/skript-files/addnew', { skript_id: skript.id, name: 'main.js', content });
  const started = await ada('POST', '/joint-api/execute-skript/single-worker/start', {
    worker_id: worker.id,
    skript_id: skript.id,
    input: 21,
  });
  if (isFull) expect(started.body).toMatchObject({ action: 'end', output: { doubled: 42 } });
  // Where the machine does not allow a full sandbox, nobody's code runs below it.
  else expect([started.status, started.body.error_code]).toEqual([403, 'forbidden']);
});
