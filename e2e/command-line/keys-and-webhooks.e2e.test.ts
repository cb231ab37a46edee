import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { trawl } from '../harness/hosted-trawl.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { startTrawl } from '../harness/trawl-process.js';
import { until } from '../harness/until.js';

const platform = sharedPlatform();
let home: string;
/** Environment of a program that is signed in as the developer. */
let env: Record<string, string>;

beforeAll(async () => {
  home = mkdtempSync(`${tmpdir()}/trawl-cli-`);
  const { username, password } = platform.credential('developer');
  env = { XDG_CONFIG_HOME: home };
  const login = ['login', '--url', platform.url, '--username', username, '--password-stdin'];
  expect((await trawl(login, { cwd: home, env, input: password })).code).toBe(0);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs a command and expects its exit code. */
async function run(args: string[], { code = 0, as = env } = {}) {
  const end = await trawl(args, { cwd: home, env: as });
  expect([args.join(' '), end.code, end.code === code ? '' : end.stderr]).toEqual([args.join(' '), code, '']);
  return end;
}

const json = ({ stdout }: { stdout: string }) => JSON.parse(stdout);

it('`trawl keys` creates a key that works, shows it once, and revokes it', async () => {
  const planned = await run(['keys', 'create', 'nightly', '--expires', '90d', '--dry-run']);
  expect(planned.stdout).toMatch(/^Would create the API key nightly with the scope run, which expires at 20/);
  await run(['keys', 'create', 'nightly', '--scope', 'write'], { code: 2 });
  await run(['keys', 'create', 'nightly', '--expires', 'soon'], { code: 2 });
  const { stdout, stderr } = await run(['keys', 'create', 'nightly', '--scope', 'all', '--expires', '90d']);
  expect(stdout).toMatch(/^trk_\S+\n$/);
  expect(stderr).toContain('Trawl never shows it again.');
  const as = { TRAWL_URL: platform.url, TRAWL_KEY: stdout.trim() };
  await run(['executions'], { as });
  expect((await run(['keys', 'create', 'another'], { as, code: 3 })).stderr).toContain('API key');

  const listed = await run(['keys', '--json']);
  expect(listed.stdout).not.toContain(stdout.trim());
  expect(json(listed)).toContainEqual(expect.objectContaining({ name: 'nightly', scope: 'all', revoked_at: null }));
  await run(['keys', 'revoke', 'nightly'], { code: 2 }); // it cannot ask
  await run(['keys', 'revoke', 'no such', '--yes'], { code: 4 });
  expect((await run(['keys', 'revoke', 'nightly', '--dry-run'])).stdout).toBe('Would revoke the API key nightly\n');
  expect((await run(['keys', 'revoke', 'nightly', '--yes'])).stdout).toBe('Revoked nightly\n');
  await run(['executions'], { as, code: 3 });
  expect((await run(['keys'])).stdout).toMatch(/nightly +all +revoked /);
});

it('`trawl webhooks` creates, lists, tests and deletes a webhook', async () => {
  const create = ['webhooks', 'create', 'https://receiver.invalid/hook', '--name', 'chat', '--events', 'run.failed'];
  await run([...create.slice(0, -1), 'run.lost'], { code: 2 });
  await run([...create, '--dry-run']);
  expect(json(await run(['webhooks', '--json']))).toEqual([]);
  expect((await run(create)).stdout).toMatch(/^whsec_\S+\n$/);
  await run(create, { code: 5 });
  expect((await run(['webhooks'])).stdout).toContain('chat  https://receiver.invalid/hook  run.failed  enabled');
  const tested = await run(['webhooks', 'test', 'chat'], { code: 1 });
  expect(tested.stderr).toContain('The receiver of chat did not take the event: ');
  await run(['webhooks', 'test', 'no such'], { code: 4 });
  expect((await run(['webhooks', 'rm', 'chat', '--yes'])).stdout).toBe('Deleted chat\n');
  expect((await run(['webhooks'])).stderr).toBe('There are no webhooks yet.\n');
});

it('`trawl webhooks listen` shows the events of the account, verifies them and forwards them', async () => {
  const received: { body: string; headers: Record<string, string> }[] = [];
  const receiver = createServer(async (request, response) => {
    received.push({ body: await text(request), headers: request.headers as Record<string, string> });
    response.writeHead(204).end();
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const forward = `127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  try {
    const args = ['webhooks', 'listen', '--events', 'run.completed,run.failed', '--forward', forward, '--limit', '2'];
    const listening = startTrawl([...args, '--json'], { cwd: home, env });
    const out = text(listening.stdout);
    await until(async () => json(await run(['webhooks', '--json'])).length === 1, 'the webhook of the command');
    const [{ id, name }] = json(await run(['webhooks', '--json']));
    expect(name).toMatch(/^trawl listen on .+ [0-9a-f]{8}$/);
    expect((await run(['webhooks', 'test', id])).stdout).toBe('Delivered\n');
    const skript = await platform.skript('Told', { 'main.js': 'module.exports = async () => 1;' });
    const { body: execution } = await platform.startRun(skript);
    const [code] = await once(listening, 'close');
    const events = (await out)
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect([code, events]).toEqual([
      0,
      [
        expect.objectContaining({ event: 'test', signature: 'valid', forwarded: 204 }),
        expect.objectContaining({ event: 'run.completed', signature: 'valid', forwarded: 204 }),
      ],
    ]);
    expect(events[1].payload.data.execution_id).toBe(execution.id);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(events.map(({ id }) => id));
    // It has deleted its webhook.
    expect(json(await run(['webhooks', '--json']))).toEqual([]);
  } finally {
    receiver.close();
  }
});

it('`trawl webhooks listen` shows the events of one webhook, reports a wrong signature, and ends on Ctrl-C', async () => {
  const { secret } = json(await run(['webhooks', 'create', 'trawl:log', '--name', 'kept', '--json']));
  await run(['webhooks', 'test', 'kept']);
  const wrong = `whsec_${Buffer.from('another secret of some bytes').toString('base64')}`;
  expect(() => new Webhook(wrong)).not.toThrow();
  for (const [given, shown, ended] of [
    [secret, 'signature valid', 0],
    [wrong, 'WRONG SIGNATURE', 1],
    [undefined, 'signature not checked', 130],
  ]) {
    const limit = ended === 130 ? [] : ['--limit', '1'];
    const own = given === undefined ? env : { ...env, TRAWL_WEBHOOK_SECRET: given };
    const listening = startTrawl(['webhooks', 'listen', 'kept', ...limit], { cwd: home, env: own });
    let stdout = '';
    let stderr = '';
    listening.stdout.on('data', chunk => {
      stdout += chunk;
    });
    listening.stderr.on('data', chunk => {
      stderr += chunk;
    });
    await until(async () => stderr.includes('Listening to kept.'), 'the command to listen');
    await run(['webhooks', 'test', 'kept']);
    await until(async () => stdout.includes(shown), 'the event');
    if (ended === 130) listening.kill('SIGINT');
    const code = listening.exitCode ?? (await once(listening, 'close'))[0];
    expect([code, stdout.match(/ test \(/g)]).toEqual([ended, [' test (']]);
  }
  await run(['webhooks', 'rm', 'kept', '--yes']);
});
