import { uptime } from 'node:os';
import { gone } from './left-processes.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

const platform = new PlatformStandIn();
let worker: WorkerProcess;
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  worker.start({ SECRET_OF_THE_WORKER: 'x' });
  await platform.connected();
});

afterAll(async () => {
  await worker.remove();
  await platform.close();
});

async function output(skript: string): Promise<Record<string, unknown>> {
  const finish = await platform.run(skript);
  expect(finish.error_stack).toBeNull();
  return JSON.parse(finish.output ?? 'null');
}

test('a run has an empty environment and a folder of its own, where it may write', async () => {
  const seen = await output(`
    const fs = require('node:fs');
    module.exports = async () => {
      fs.writeFileSync('mine.txt', 'x');
      fs.writeFileSync(require('node:os').tmpdir() + '/tmp.txt', 'x');
      return { names: Object.keys(process.env).sort(), home: process.env.HOME, cwd: process.cwd(), dir: __dirname,
        files: fs.readdirSync('.').sort(), mode: fs.statSync('.').mode & 0o777 };
    };`);
  expect(seen).toMatchObject({ names: ['HOME', 'LANG', 'PATH', 'TMPDIR'], files: ['mine.txt', 'tmp'], mode: 0o700 });
  expect(seen.cwd).toBe(seen.home);
  expect(seen.dir).toBe(seen.home);
});

(isRoot ? test : test.skip)(
  'as root, a run has a user of its own that sees nothing of the worker and of other runs',
  async () => {
    expect(platform.hellos[0]?.sandbox).toBe('reduced');
    const seen = await output(`
    const fs = require('node:fs');
    const attempt = act => { try { act(); return 'done'; } catch (error) { return error.code; } };
    module.exports = async () => ({
      uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(),
      environment: attempt(() => fs.readFileSync('/proc/${worker.pid}/environ')),
      kill: attempt(() => process.kill(${worker.pid}, 'SIGTERM')),
      list: attempt(() => fs.readdirSync('..')),
      record: attempt(() => fs.readFileSync('../echoes.csv')),
      runs: attempt(() => fs.readdirSync('../..')),
      runtime: attempt(() => fs.writeFileSync(require.main?.filename ?? process.argv[1], '')),
    });`);
    expect(seen.uid).toBeGreaterThanOrEqual(62_000);
    expect(seen).toMatchObject({
      gid: seen.uid,
      groups: [seen.uid],
      environment: 'EACCES',
      kill: 'EPERM',
      list: 'EACCES',
      record: 'EACCES',
      runs: 'EACCES',
      runtime: 'EACCES',
    });
  },
);

test('global.trawl names the run, its skript and its worker', async () => {
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

test('stock libraries can be required or imported, and nothing else', async () => {
  const seen = await output(`
    import axios from 'axios';
    import got, { HTTPError } from 'got';
    import * as cheerio from 'cheerio';
    const { stringify } = require('csv-stringify/sync');
    module.exports = async () => ({
      cheerio: cheerio.load('<b>bold</b>')('b').text(),
      parse: require('csv-parse/sync').parse('a,b')[0],
      stringify: stringify([[1, 2]]),
      got: [typeof got, typeof got.get, typeof HTTPError, typeof require('got'), typeof require('got').default],
      axios: typeof axios.get,
      lazily: typeof (await import('cheerio')).load,
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
    objectId: '64b7f0c2a1d3e4f5a6b7c8d9',
    others: Array(5).fill('MODULE_NOT_FOUND'),
  });
});

// A machine under load takes its time; no test here is about how long something takes.
jest.setTimeout(20_000);

test('what a run writes on its pipes by hand harms no one', async () => {
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
  expect(echoes.filter(({ msg }) => msg.includes('cannot read'))).toHaveLength(6);
  expect(await output('module.exports = () => ({ ok: true });')).toEqual({ ok: true });
});

test('an ending that a run makes up by hand is its own ending and no one else’s', async () => {
  const forged = '{"run":1,"t":"failed","code":"exception","stack":{"toString":1}}';
  const finish = await platform.run(`
    module.exports = () => { require('node:fs').writeSync(4, '${forged}\\n'); return new Promise(() => setInterval(() => {}, 9)); };`);
  expect(finish).toMatchObject({ action: 'error', error_code: 'exception', error_stack: '' });
  expect(await output('module.exports = () => ({ ok: true });')).toEqual({ ok: true });
});

test('no run can say of itself that the worker was lost, or anything else that is not its to say', async () => {
  const id = await platform.start(`
    module.exports = async () => {
      for (const code of ['worker_lost', 'time_limit', 'start_failed', 'constructor', 7])
        require('node:fs').writeSync(4, JSON.stringify({ run: 1, t: 'failed', code, stack: 'forged' }) + '\\n');
      return 'fine';
    };`);
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '"fine"', error_code: null });
  expect((await platform.echoes(id)).map(({ msg }) => msg)).toEqual(Array(5).fill(expect.stringContaining('dropped')));
});

test('no process of a run outlives it, not even one that left its group', async () => {
  const { pid } = await output(`
    const { spawn } = require('node:child_process');
    module.exports = async () => {
      const child = spawn('sleep', ['600'], { detached: ${isRoot}, stdio: 'inherit' });
      return { pid: child.pid };
    };`);
  await gone(pid as number);
});

(isRoot ? test : test.skip)(
  'a chain of processes that outruns the list of processes does not reach the next run',
  async () => {
    // Each link starts its successor and is gone; the whole chain ends by itself after some seconds.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a shell's
    const link = 'read up rest < /proc/uptime; if [ "${up%.*}" -lt "$1" ]; then sh -c "$0" "$0" "$1" & fi';
    const seen = await output(`
    const { spawn } = require('node:child_process');
    module.exports = async () => {
      const until = Math.round(require('node:os').uptime()) + 18;
      const link = ${JSON.stringify(link)};
      for (let n = 0; n < 3; n += 1) spawn('sh', ['-c', link, link, until], { detached: true, stdio: 'ignore' });
      await new Promise(done => setTimeout(done, 200));
      return { uid: process.getuid(), until };
    };`);
    const others = `
    const fs = require('node:fs');
    const isAliveOf = (uid, pid) => {
      try {
        const status = fs.readFileSync('/proc/' + pid + '/status', 'utf8');
        return status.includes('\\nUid:\\t' + uid + '\\t') && !/^State:\\t[ZX]/m.test(status);
      } catch { return false; }
    };
    module.exports = () => {
      const uid = process.getuid();
      const pids = () => fs.readdirSync('/proc').map(Number).filter(pid => pid > 0 && pid !== process.pid && isAliveOf(uid, pid));
      return { uid, others: Array.from({ length: 100 }, pids).flat() };
    };`;
    let next = await output(others);
    while (next.uid !== seen.uid) next = await output(others);
    expect(next.others).toEqual([]);
    // Else it was not ended, but came to its own end.
    expect(uptime()).toBeLessThan(seen.until as number);
  },
);

test('storage calls go to the platform with the token of the run and come back', async () => {
  platform.answerStorage = ({ op }) =>
    op.method === 'countDocuments'
      ? { result: '{"count":{"$numberInt":"12"}}' }
      : { error: { code: 'storage_duplicate_key', message: 'E11000' } };
  const seen = await output(`
    const { mongo } = require('@trawl/storage');
    module.exports = async () => ({
      count: await mongo.collection('books').countDocuments({ price: 1 }),
      failure: await mongo.collection('books').insertOne({ a: 1 }).catch(error => [error.name, error.code, error.message]),
    });`);
  expect(seen).toEqual({ count: 12, failure: ['StorageError', 'storage_duplicate_key', 'books.insertMany: E11000'] });
  expect(platform.storage[0]).toMatchObject({ op_id: 1, token: 'token-of-the-run', op: { resend: false } });
});

test('a storage call whose answer was lost is sent again, and says that it is', async () => {
  const before = platform.storage.length;
  platform.answerStorage = ({ op }) => (op.resend ? { result: '{"count":1}' } : null);
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

test('a storage call that the platform cannot take right now is sent again as one that may have been done', async () => {
  const before = platform.storage.length;
  platform.answerStorage = ({ op }) =>
    op.resend ? { result: '{"count":2}' } : { error: { code: 'unavailable', message: 'Send it again.' } };
  expect(
    await platform.run(`
    const { mongo } = require('@trawl/storage');
    module.exports = () => mongo.collection('books').countDocuments();`),
  ).toMatchObject({ action: 'end', output: '2' });
  expect(platform.storage.length - before).toBe(2);
});

test('many storage calls at a time are all answered, a bounded number of them under way', async () => {
  const before = platform.storage.length;
  let underWay = 0;
  let most = 0;
  platform.answerStorage = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise(resolve => setTimeout(resolve, 5));
    underWay -= 1;
    return { result: '{"count":1}' };
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
