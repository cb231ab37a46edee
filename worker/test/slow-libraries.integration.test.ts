import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkedLock, hashOfLock, lockText } from '@trawl/libraries';
import { type Published, RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import pino from 'pino';
import { Installer } from '../src/libraries/installer.js';
import { Libraries, type WaitingRun } from '../src/libraries/libraries.js';

const registry = new RegistryStandIn();
const log = pino({ level: 'silent' });
const locks = new Map<string, string>();
/** The archives that the registry sends a byte at a time, while npm still waits for them. */
const dripping = new Set<string>();
const runs: AbortController[] = [];
const installer = new Installer(log);
let changed = (): void => {};
let folder: string;
let libraries: Libraries;

beforeAll(() => registry.open());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-slow-'));
  const platform = { text: async (_: string, hash: string) => locks.get(hash) as string } as never;
  const options = { folder, megabytes: 10, files: 1_000, registry: registry.url, platform, installer, log };
  libraries = await Libraries.open(options);
  registry.answer = ({ url = '' }, response) => {
    if (!/^\/dripping-.*\.tgz$/.test(url)) return false;
    dripping.add(url);
    response.on('close', () => {
      dripping.delete(url);
      changed();
    });
    changed();
    return registry.drip(response);
  };
});
afterEach(async () => {
  for (const run of runs.splice(0)) run.abort(new Error('the test is over'));
  await untilDripping(0);
  await installer.remove(folder);
  await rm(folder, { recursive: true, force: true });
});
afterAll(() => registry.close());

async function untilDripping(count: number): Promise<void> {
  while (dripping.size !== count) {
    await new Promise<void>(resolve => {
      changed = resolve;
    });
  }
}

/** Publishes a library, and returns the hash of a lock with it. */
async function lockOf(name: string, published: Published = {}): Promise<string> {
  registry.publish(name, published);
  const list = (await (await fetch(new URL(name, registry.url))).json()) as any;
  const { version, dist } = list.versions['1.0.0'];
  const packages = { [`node_modules/${name}`]: { version, integrity: dist.integrity } };
  const text = lockText(checkedLock({ '': { dependencies: { [name]: '*' } }, ...packages }));
  locks.set(hashOfLock(text), text);
  return hashOfLock(text);
}

/** Installs a library for a run of an account. Resolves with null, or with the reason why the run ended. */
async function install(account: string, name: string, published?: Published): Promise<string | null> {
  const run = new AbortController();
  runs.push(run);
  const waiting: WaitingRun = { account, echo: () => {}, queued: () => {}, signal: run.signal };
  return libraries.take(await lockOf(name, published), waiting).then(
    release => {
      release();
      return null;
    },
    (error: Error) => error.message,
  );
}

test('slow library installations of two accounts do not delay an installation of a third account', async () => {
  Object.assign(libraries.limits, { slowMs: 1_000 });
  const slow = ['a', 'b'].map(account => install(account, `dripping-${account}`));
  await untilDripping(2);
  expect(await install('c', 'harmless')).toBe(null);
  expect(dripping.size).toBe(2);
  // The account of a slow installation still has one at the same time.
  const next = install('a', 'next');
  expect(await install('d', 'other')).toBe(null);
  for (const run of runs) run.abort(new Error('stopped'));
  expect(await Promise.all([...slow, next])).toEqual(['stopped', 'stopped', 'stopped']);
  expect(registry.asked.filter(path => path.startsWith('/next/-/'))).toEqual([]);
});

test('when too many library installations are slow, the oldest one fails', async () => {
  Object.assign(libraries.limits, { atOnce: 1, maxSlow: 1, slowMs: 1_000 });
  const oldest = install('a', 'dripping-c');
  await untilDripping(1);
  const newer = install('b', 'dripping-d');
  expect(await oldest).toContain('the npm registry answers too slowly');
  await untilDripping(1);
  runs.at(-1)?.abort(new Error('stopped'));
  expect(await newer).toBe('stopped');
});

test('a library installation whose registry fails lets another account install before it retries', async () => {
  // On a busy machine the other installation takes longer than the usual time of retries.
  Object.assign(libraries.limits, { atOnce: 1, slowMs: 0, retryForMs: 300_000 });
  const { answer } = registry;
  let failed = (): void => {};
  const hasFailed = new Promise<void>(resolve => {
    failed = resolve;
  });
  registry.answer = (request, response) => {
    if (!request.url?.startsWith('/failing/-/')) return answer(request, response);
    response.writeHead(503).end();
    failed();
    return true;
  };
  const failing = install('a', 'failing');
  await hasFailed;
  expect(await install('b', 'fine')).toBe(null);
  runs[0]?.abort(new Error('stopped'));
  expect(await failing).toBe('stopped');
});
