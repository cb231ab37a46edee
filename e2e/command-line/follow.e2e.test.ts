import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { trawl } from '../harness/hosted-trawl.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { startTrawl } from '../harness/trawl-process.js';
import { until } from '../harness/until.js';

const platform = sharedPlatform();
let home: string;
/** Environment of a program that has the developer's API key. */
let env: Record<string, string>;

beforeAll(async () => {
  home = mkdtempSync(`${tmpdir()}/trawl-cli-`);
  const developer = await platform.as('developer');
  const { body } = await developer('POST', '/joint-api/keys/addnew', { name: 'follow', scope: 'all' });
  env = { TRAWL_URL: platform.url, TRAWL_KEY: body.key };
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const command = (...args: string[]) => trawl(args, { cwd: home, env });

/** Starts a command that runs while the test does other things. */
function started(...args: string[]) {
  const child = startTrawl(args, { cwd: home, env });
  const all = { stdout: '', stderr: '', ended: once(child, 'close').then(([code]) => code) };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', chunk => {
      all[name] += chunk;
    });
  return all;
}

/** Fails at the first attempt, pushes a row in each, and waits for its answer in the second. */
const RETRIED = `const { echo } = require('@trawl/echo');
const { dataset, kv } = require('@trawl/storage');
module.exports = async () => {
  const attempt = ((await kv.get('attempt')) ?? 0) + 1;
  await kv.set('attempt', attempt);
  await dataset.push({ attempt, n: 1 });
  if (attempt === 1) throw new Error('no price');
  await echo.question('Continue?');
  await dataset.push({ attempt, n: 2 });
  return attempt;
};`;

it('`trawl run` and `trawl rows -f` follow a run through its retry until it has ended', async () => {
  await platform.skript('Retried', { 'main.js': RETRIED }, { retries: 1, retry_delay_ms: 3_000 });
  const run = started('run', 'Retried');
  await until(async () => / waits: this attempt starts at /.test(run.stderr), 'the second attempt');
  const [, first = '', second = ''] = /Run (\S+)\..*Attempt 2: the run (\S+)\./s.exec(run.stderr) ?? [];
  const rows = started('rows', first, '--follow');
  await until(async () => rows.stdout.trimEnd().split('\n').length === 2, 'the row of the second attempt');
  await until(async () => run.stderr.includes('The run continues on '), 'the end of the wait');
  expect((await command('answer', second, '--text', 'yes')).code).toBe(0);
  expect([await run.ended, run.stdout]).toEqual([0, '2\n']);
  expect(run.stderr).toMatch(/Attempt 1 failed with the code exception\.\n.*The run continues on .+\.\n/s);
  expect(run.stderr.match(/Attempt 2: /g)).toHaveLength(1);
  expect(await rows.ended).toBe(0);
  expect(
    rows.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toMatchObject([
    { attempt: 1, n: 1, _run: first },
    { attempt: 2, n: 1, _run: second },
    { attempt: 2, n: 2, _run: second },
  ]);
});

it('`trawl logs -f` and `trawl rows -f` end with exit code 1 if the run has failed', async () => {
  await platform.skript('Fails', { 'main.js': "module.exports = async () => { throw new Error('no price'); };" });
  const id = JSON.parse((await command('run', 'Fails', '--detach', '--json')).stdout).id;
  for (const args of [
    ['logs', id, '-f'],
    ['rows', id, '-f'],
  ]) {
    const { code, stderr } = await command(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining('The run failed with the code exception.')]);
  }
  expect((await command('rows', 'books', '-f')).code).toBe(2);
});
