import { uptime } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { serialize } from 'bson';
import { connectedWorker } from './connected-worker.js';
import { gone } from './left-processes.js';
import { ANNOUNCE, announcedPids, processesOf, until } from './run-processes.js';

const { platform, worker } = connectedWorker({ SECRET_OF_THE_WORKER: 'x' });
const { platform: reducedPlatform, worker: reduced } = connectedWorker({
  TRAWL_SANDBOX: 'reduced',
  // The limit is higher than the number of processes that the chain below needs.
  TRAWL_RUN_PROCESSES: '10000',
});
const isRoot = process.getuid?.() === 0;

async function output(skript: string, on = platform): Promise<Record<string, unknown>> {
  const finish = await on.run(skript);
  expect(finish.error_stack).toBeNull();
  return JSON.parse(finish.output ?? 'null');
}

test('a run gets an empty environment and a writable folder of its own', async () => {
  const seen = await output(`
    const fs = require('node:fs');
    module.exports = async () => {
      fs.writeFileSync('mine.txt', 'x');
      fs.writeFileSync(require('node:os').tmpdir() + '/tmp.txt', 'x');
      return { names: Object.keys(process.env).sort(), home: process.env.HOME, cwd: process.cwd(), dir: __dirname,
        files: fs.readdirSync('.').sort(), mode: fs.statSync('.').mode & 0o777 };
    };`);
  expect(seen).toMatchObject({
    names: ['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR'],
    files: ['mine.txt', 'tmp'],
    mode: 0o700,
  });
  expect(seen.cwd).toBe(seen.home);
  expect(seen.dir).toBe(seen.home);
});

(isRoot ? test : test.skip)('a sandbox can write only to its own folders, and has devices only in /dev', async () => {
  const { mounts } = (await output(`
    module.exports = () => ({ mounts: require('node:fs').readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\\n')
      .map(line => line.split(' ')).map(fields => ({ at: fields[4], flags: fields[5].split(',') })) });`)) as {
    mounts: { at: string; flags: string[] }[];
  };
  const without = (flag: string) => mounts.filter(({ flags }) => !flags.includes(flag)).map(({ at }) => at);
  expect(without('nosuid')).toEqual([]);
  expect(without('ro').sort()).toEqual(['/dev/shm', '/home/run', '/proc']);
  expect(without('nodev').every(at => at.startsWith('/dev/'))).toBe(true);
});

(isRoot ? test : test.skip)(
  'as root, a run has its own user id and a sandbox, in which it sees nothing of the worker',
  async () => {
    const layers = platform.hellos[0]?.sandbox_layers.filter(({ holds }) => holds).map(({ name }) => name);
    expect(layers).toEqual(expect.arrayContaining(['own_user', 'namespaces', 'syscalls', 'limits']));
    const seen = await output(`
    const fs = require('node:fs');
    const attempt = act => { try { return act() ?? 'done'; } catch (error) { return error.code; } };
    const text = file => fs.readFileSync(file, 'utf8');
    module.exports = async () => ({
      uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), pids: fs.readdirSync('/proc').filter(Number).length,
      environment: text('/proc/1/environ'), command: text('/proc/1/cmdline'), capabilities: /CapEff:\\s*(\\w+)/.exec(text('/proc/self/status'))[1],
      descriptors: fs.readdirSync('/proc/self/fd').map(fd => attempt(() => fs.readlinkSync('/proc/self/fd/' + fd))).filter(path => /^.(?!dev|proc)/.test(path) && path.startsWith('/')),
      kill: attempt(() => process.kill(${worker().pid}, 'SIGTERM')),
      data: attempt(() => fs.readdirSync(${JSON.stringify(worker().data)})),
      root: fs.readdirSync('/').filter(name => name !== 'opt').sort(),
      writes: ['/a', '/dev/a', '/etc/a', '/usr/a', '/home/a', '/trawl/a', '/trawl/libraries/a', __filename].map(file => attempt(() => fs.writeFileSync(file, ''))),
      host: require('node:os').hostname(),
    });`);
    expect(seen.uid).toBeGreaterThanOrEqual(62_000);
    expect(seen).toMatchObject({
      gid: seen.uid,
      groups: [seen.uid],
      pids: 2,
      environment: '',
      capabilities: '0000000000000000',
      descriptors: [],
      kill: 'ESRCH',
      data: 'ENOENT',
      // `opt`, because these tests set CHROME_PATH.
      root: ['bin', 'dev', 'etc', 'home', 'lib', 'lib64', 'proc', 'tmp', 'trawl', 'usr'],
      writes: [...Array(7).fill('EROFS'), 'done'],
      host: 'run',
    });
    expect(seen.command).not.toContain(worker().data);
  },
);

(isRoot ? test : test.skip)('without a sandbox, the user id of a run protects the worker from the run', async () => {
  expect(reducedPlatform.hellos[0]).toMatchObject({ sandbox: 'reduced' });
  const seen = await output(
    `
    const fs = require('node:fs');
    const attempt = act => { try { act(); return 'done'; } catch (error) { return error.code; } };
    module.exports = async () => ({
      uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(),
      environment: attempt(() => fs.readFileSync('/proc/${reduced().pid}/environ')),
      kill: attempt(() => process.kill(${reduced().pid}, 'SIGTERM')),
      list: attempt(() => fs.readdirSync('..')),
      runs: attempt(() => fs.readdirSync('../../runs')),
      runtime: attempt(() => fs.writeFileSync(require.main?.filename ?? process.argv[1], '')),
    });`,
    reducedPlatform,
  );
  expect(seen.uid).toBeGreaterThanOrEqual(62_000);
  expect(seen).toMatchObject({
    gid: seen.uid,
    groups: [seen.uid],
    environment: 'EACCES',
    kill: 'EPERM',
    list: 'EACCES',
    runs: 'EACCES',
    runtime: 'EACCES',
  });
});

test('without a sandbox, temporary files are in the run’s own folder, on every operating system', async () => {
  const seen = await output(
    `module.exports = () => {
      const { HOME, TMPDIR, TEMP, TMP } = process.env;
      return { HOME, all: [TMPDIR, TEMP, TMP, require('node:os').tmpdir()] };
    };`,
    reducedPlatform,
  );
  expect(seen.all).toEqual(Array(4).fill(`${seen.HOME}/tmp`));
});

test('global.trawl describes the run, its skript and its worker', async () => {
  const id = await platform.start(`
    module.exports = () => {
      const { execution_id, skript, worker, eventEmitter } = global.trawl;
      return { execution_id, title: skript.title, worker: worker.name, emits: typeof eventEmitter.emit };
    };`);
  expect(JSON.parse((await platform.ended(id)).output ?? '')).toEqual({
    execution_id: id,
    title: 'Test skript',
    worker: 'test worker',
    emits: 'function',
  });
});

test('a run can require or import the built-in libraries, and no other packages of the worker', async () => {
  const seen = await output(`
    import axios from 'axios';
    import got, { HTTPError } from 'got';
    import * as cheerio from 'cheerio';
    import { CookieJar, HttpClient } from '@trawl/httpclient';
    const { stringify } = require('csv-stringify/sync');
    module.exports = async () => ({
      cheerio: cheerio.load('<b>bold</b>')('b').text(),
      parse: require('csv-parse/sync').parse('a,b')[0],
      stringify: stringify([[1, 2]]),
      got: [typeof got, typeof got.get, typeof HTTPError, typeof require('got'), typeof require('got').default],
      axios: typeof axios.get,
      lazily: typeof (await import('cheerio')).load,
      proxy: await new HttpClient({ proxyUrl: 'http://127.0.0.1:1', cookieJar: new CookieJar() }).json('http://a/'),
      objectId: String(new (require('@trawl/storage').ObjectId)('64b7f0c2a1d3e4f5a6b7c8d9')),
      others: ['typescript', 'esbuild', 'pino', './../run.js', '/etc/hostname.js'].map(name => {
        try { return typeof require(name); } catch (error) { return error.code; }
      }),
    });`);
  expect(seen).toEqual({
    cheerio: 'bold',
    parse: ['a', 'b'],
    stringify: '1,2\n',
    got: ['function', 'function', 'function', 'function', 'function'],
    axios: 'function',
    lazily: 'function',
    proxy: expect.objectContaining({ status: 0, statusMessage: expect.stringMatching(/^Network error: /) }),
    objectId: '64b7f0c2a1d3e4f5a6b7c8d9',
    others: Array(5).fill('MODULE_NOT_FOUND'),
  });
});

test('a run that writes invalid messages to its pipes harms no other run', async () => {
  const id = await platform.start(`
    const fs = require('node:fs');
    module.exports = async () => {
      for (const line of ['null', '7', '{', '[]', '{"run":1,"t":"echoes","items":[null,{},["log"]]}', '{"run":1,"t":"storage","call":1,"op":{"x":1}}',
        '{"run":1,"t":"failed","code":"toString","stack":null}x', '{"run":1,"t":"exiting","stack":{"toString":1}}', '{"run":1,"t":"place","text":{"toString":1}}',
        '{"run":1,"t":"echoes","items":[[{"toString":1},{"toString":1},{"toString":1}]]}', 'x'.repeat(5_000_000)]) fs.writeSync(4, line + '\\n');
      return 'fine';
    };`);
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '"fine"' });
  const echoes = await platform.echoes(id);
  expect(echoes.filter(({ msg }) => msg.includes('cannot read'))).toHaveLength(7);
  expect(await output('module.exports = () => ({ ok: true });')).toEqual({ ok: true });
});

test('a forged result ends only the run that forged it', async () => {
  const forged = '{"run":1,"t":"failed","code":"exception","stack":{"toString":1}}';
  const finish = await platform.run(`
    module.exports = () => { require('node:fs').writeSync(4, '${forged}\\n'); return new Promise(() => setInterval(() => {}, 9)); };`);
  expect(finish).toMatchObject({ action: 'error', error_code: 'exception', error_stack: '' });
  expect(await output('module.exports = () => ({ ok: true });')).toEqual({ ok: true });
});

test('a run cannot forge an error code of the worker', async () => {
  const id = await platform.start(`
    module.exports = async () => {
      for (const code of ['worker_lost', 'time_limit', 'start_failed', 'constructor', 7])
        require('node:fs').writeSync(4, JSON.stringify({ run: 1, t: 'failed', code, stack: 'forged' }) + '\\n');
      return 'fine';
    };`);
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '"fine"', error_code: null });
  expect((await platform.echoes(id)).map(({ msg }) => msg)).toEqual(Array(5).fill(expect.stringContaining('dropped')));
});

test('the worker kills all processes of a run, even those that left its process group', async () => {
  const id = await platform.start(`
    const { spawn } = require('node:child_process');
    ${ANNOUNCE}module.exports = () => {
      announce(spawn('sleep', ['600'], { detached: ${isRoot}, stdio: 'inherit' }).pid);
      return new Promise(done => global.trawl.eventEmitter.on('ff-stop', done));
    };`);
  const pids = await announcedPids(platform, id);
  await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  await platform.ended(id);
  for (const pid of pids) await gone(pid);
});

(isRoot ? test : test.skip)('the worker kills a chain of processes that each start the next and end', async () => {
  // Each link starts its successor and ends. The chain ends by itself after some seconds.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell syntax
  const link = 'read up rest < /proc/uptime; if [ "${up%.*}" -lt "$1" ]; then sh -c "$0" "$0" "$1" & fi';
  const seen = await output(
    `
    const { spawn } = require('node:child_process');
    module.exports = async () => {
      const until = Math.round(require('node:os').uptime()) + 18;
      const link = ${JSON.stringify(link)};
      for (let n = 0; n < 3; n += 1) spawn('sh', ['-c', link, link, until], { detached: true, stdio: 'ignore' });
      await new Promise(done => setTimeout(done, 200));
      return { uid: process.getuid(), until };
    };`,
    reducedPlatform,
  );
  const looks = () => Array.from({ length: 100 }, () => processesOf(seen.uid as number)).flat();
  await until(looks, pids => pids.length === 0);
  // Check that the chain of processes was killed before it would have ended by itself.
  expect(uptime()).toBeLessThan(seen.until as number);
});

test('storage calls reach the platform with the run’s token, and return its answers', async () => {
  platform.answerStorage = ({ op }) =>
    op.method === 'countDocuments'
      ? { result: serialize({ count: 12 }) }
      : { error: { code: 'storage_duplicate_key', message: 'E11000' } };
  const seen = await output(`
    const { mongo } = require('@trawl/storage');
    module.exports = async () => ({
      count: await mongo.collection('books').countDocuments({ price: 1 }),
      failure: await mongo.collection('books').insertOne({ a: 1 }).catch(error => [error.name, error.code, error.message]),
    });`);
  expect(seen).toEqual({ count: 12, failure: ['StorageError', 'storage_duplicate_key', 'books.insertOne: E11000'] });
  expect(platform.storage[0]).toMatchObject({ op_id: 1, token: 'token-of-the-run', op: { resend: false } });
});

test('the worker repeats a storage call whose answer was lost, and marks it as repeated', async () => {
  const before = platform.storage.length;
  platform.answerStorage = ({ op }) => (op.resend ? { result: serialize({ count: 1 }) } : null);
  const id = await platform.start(`
    const { mongo } = require('@trawl/storage');
    module.exports = () => mongo.collection('books').countDocuments();`);
  await platform.until(() => platform.storage.length > before, 'the storage call');
  platform.cut();
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '1' });
  expect(platform.storage.slice(before).map(({ op_id, op }) => [op_id, op.resend])).toEqual([
    [1, false],
    [1, true],
  ]);
});

test('the worker repeats a storage call that the platform did not accept, without a mark as repeated', async () => {
  const before = platform.storage.length;
  platform.answerStorage = () =>
    platform.storage.length > before + 1
      ? { result: serialize({ count: 2 }) }
      : { error: { code: 'unavailable', message: 'Send it again.' } };
  expect(
    await platform.run(`
    const { mongo } = require('@trawl/storage');
    module.exports = () => mongo.collection('books').countDocuments();`),
  ).toMatchObject({ action: 'end', output: '2' });
  expect(platform.storage.slice(before).map(({ op }) => op.resend)).toEqual([false, false]);
});

test('a run can make 200 storage calls at once, of which at most 32 are pending at the platform', async () => {
  const before = platform.storage.length;
  let inProgress = 0;
  let most = 0;
  platform.answerStorage = async () => {
    inProgress += 1;
    most = Math.max(most, inProgress);
    await delay(5);
    inProgress -= 1;
    return { result: serialize({ count: 1 }) };
  };
  const seen = await output(`
    const { mongo } = require('@trawl/storage');
    module.exports = async () => ({
      counts: (await Promise.all(Array.from({ length: 200 }, () => mongo.collection('books').countDocuments()))).length,
    });`);
  expect(seen).toEqual({ counts: 200 });
  expect(platform.storage.length - before).toBe(200);
  expect(most).toBeLessThanOrEqual(32);
});
