import { RunError, Trawl, TrawlError, unwrap } from '@trawl/client';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
let trawl: Trawl;

beforeAll(async () => {
  const developer = await platform.as('developer');
  const { body } = await developer('POST', '/joint-api/keys/addnew', { name: 'client', scope: 'all' });
  trawl = new Trawl({ url: platform.url, key: body.key });
});

test('the client library calls a skript by its title, and returns its output or throws its error', async () => {
  const main = `module.exports = async ({ n }, secret) => {
    if (n < 0) throw new RangeError('n is negative');
    return { doubled: 2 * n, pin: typeof secret?.pin };
  };`;
  await platform.skript('Doubles', { 'main.js': main });
  expect(await trawl.call('Doubles', { n: 21 }, { inputSecret: { pin: 12345678 } })).toEqual({
    doubled: 42,
    pin: 'number',
  });
  const error = await trawl.call<Error>('Doubles', { n: -1 }).catch(thrown => thrown);
  expect(error).toBeInstanceOf(RunError);
  expect(error).toMatchObject({ code: 'exception', message: 'RangeError: n is negative' });
  expect(error.stack).toContain('main.js:2:');
  await expect(trawl.call('Nothing')).rejects.toMatchObject({ status: 404, code: 'not_found' });
});

test('the client library follows the log of a run to its end, and reads the rows that the run stored', async () => {
  const main = `const { dataset, kv, mongo } = require('@trawl/storage');
  module.exports = async () => {
    for (let n = 1; n <= 20; n++) {
      console.log('row ' + n);
      await mongo.collection('client_rows').insertOne({ n });
    }
    for (let n = 1; n <= 1_500; n++) dataset.push({ n });
    await kv.set('runs', ((await kv.get('runs')) ?? 0) + 1);
    return kv.get('runs');
  };`;
  await platform.skript('Rows', { 'main.js': main });
  const run = trawl.run<number>('Rows');
  const seen: string[] = [];
  for await (const { msg } of run.logs()) seen.push(msg);
  expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => `row ${n + 1}`));
  expect(await run.output()).toBe(1);
  const rows: number[] = [];
  for await (const { n } of trawl.rows<{ n: number }>('client_rows', { filter: { n: { $gt: 15 } }, sort: 'n' }))
    rows.push(n);
  expect(rows).toEqual([16, 17, 18, 19, 20]);

  const again = trawl.run<number>('Rows');
  expect(await again.output()).toBe(2);
  for (const each of [run, again]) {
    expect(await each.wait()).toMatchObject({ action: 'end', rows: 1_500 });
    const pushed: number[] = [];
    for await (const { n, _run } of each.rows<{ n: number; _run: string }>())
      if (_run === (await each.id())) pushed.push(n);
    expect(pushed).toEqual(Array.from({ length: 1_500 }, (_, n) => n + 1));
  }
});

test('the client library stops a run, and starts a run with retries, which is attempted again after a failure', async () => {
  await platform.skript('Endless', {
    'main.js': 'module.exports = () => new Promise(() => setInterval(() => {}, 1000));',
  });
  const endless = trawl.run('Endless');
  await endless.started;
  await endless.stop();
  expect((await endless.wait()).action).toBe('stop');
  const id = await platform.skript(
    'Fails',
    { 'main.js': "module.exports = async () => { throw new Error('always'); };" },
    { retry_delay_ms: 0 },
  );
  expect(await trawl.run(id, null, { retries: 1 }).wait()).toMatchObject({ action: 'error', attempt: 2 });
});

test('the client library answers the question of a run, and an answer that is no choice fails with status 400', async () => {
  const main = `const { echo } = require('@trawl/echo');
  module.exports = () => echo.question('Which page?', { choices: ['first', 'last'] });`;
  await platform.skript('Asks', { 'main.js': main });
  const run = trawl.run('Asks');
  for await (const { seq, type } of run.logs()) {
    if (type !== 'question') continue;
    await expect(run.answer(seq, 'none')).rejects.toMatchObject({ status: 400 });
    expect(await run.answer(seq, 'last')).toBe(true);
  }
  expect(await run.output()).toBe('last');
});

test('the client library starts a skript with a stored input by its name, and an unknown name is an error', async () => {
  const id = await platform.skript('Stored', { 'main.js': 'module.exports = async input => input;' });
  const body = { skript_id: id, name: 'inputOne.json', val: { stored: true } as any };
  await unwrap(trawl.api.POST('/joint-api/inputs/addnew', { body }));
  expect(await trawl.runStored('Stored', { input: 'inputOne.json' }).output()).toEqual({ stored: true });
  await expect(trawl.runStored('Stored', { input: 'inputTwo.json' }).started).rejects.toBeInstanceOf(TrawlError);
});
