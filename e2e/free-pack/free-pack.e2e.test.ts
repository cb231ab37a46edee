import { mailsTo } from '../harness/mails.js';
import type { Answer } from '../harness/platform-client.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';

const EMAIL = 'ada.free-pack@example.com';
const PASSWORD = 'nets and knots';

const platform = sharedPlatform();

async function call(method: string, path: string, body?: object, token?: string): Promise<Answer> {
  const response = await fetch(platform.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('a new account gets a free worker with the full sandbox, and runs a skript on it', async () => {
  const profile = { first_name: 'Ada', last_name: 'Lovelace', email: EMAIL, city: 'Zagreb', country: 'Croatia' };
  expect((await call('POST', '/www/users/register', { ...profile, x: 3, y: 4, result: '7' })).status).toBe(200);
  const token = await until(
    async () => (await mailsTo(platform, EMAIL))[0]?.text?.match(/set-password#token=([\w-]+)/)?.[1],
    `the e-mail to ${EMAIL}`,
  );
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
  // If this machine has no full sandbox, the platform refuses to run the code of a new account.
  else expect([started.status, started.body.error_code]).toEqual([403, 'forbidden']);
});
