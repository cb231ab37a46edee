import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkedLock, hashOfLock, lockText, type Written } from '@trawl/libraries';
import pino from 'pino';
import type { Installer } from './installer.js';
import { Libraries } from './libraries.js';

const MB = 1024 * 1024;
const locks = new Map<string, string>();
/** Ends each installation, in the order in which they began. An abort does not end one: npm has finished already. */
let ends: ((megabytes: number) => void)[];
let removals: number;
let landed: number;
let changed = (): void => {};
/** The first removal of a folder waits for it. */
let firstRemoval: Promise<void>;
let folder: string;
let libraries: Libraries;

const installer = {
  install: () =>
    new Promise<Written>(resolve => {
      ends.push(megabytes => resolve({ bytes: megabytes * MB, entries: 1 }));
      changed();
    }),
  remove: async (path: string) => {
    removals += 1;
    changed();
    if (removals === 1) await firstRemoval;
    await rm(path, { recursive: true });
  },
} as unknown as Installer;

const log = pino({}, { write: (line: string) => line.includes('"libraries installed"') && onLanded() });

function onLanded(): void {
  landed += 1;
  changed();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-libraries-'));
  ends = [];
  removals = 0;
  landed = 0;
  firstRemoval = Promise.resolve();
  const platform = { text: async (_: string, hash: string) => locks.get(hash) as string } as never;
  const options = { folder, megabytes: 10, files: 1_000, registry: undefined, platform, installer, log };
  libraries = await Libraries.open(options);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise<void>(resolve => {
      changed = resolve;
    });
  }
}

/** Starts a run of an account with one library. */
function start(account: string, library: string) {
  const packages = { [`node_modules/${library}`]: { version: '1.0.0', integrity: 'sha512-AAAA' } };
  const text = lockText(checkedLock({ '': { dependencies: { [library]: '*' } }, ...packages }));
  locks.set(hashOfLock(text), text);
  const run = new AbortController();
  const waiting = { account, echo: () => {}, queued: () => {}, signal: run.signal };
  return { taken: libraries.take(hashOfLock(text), waiting), stop: () => run.abort(new Error('stopped')) };
}

/** Stops a run of an account whose libraries are being installed. */
async function stopWhileInstalling(account: string, library: string): Promise<void> {
  const stopped = start(account, library);
  await until(() => ends.length === 1);
  stopped.stop();
  await expect(stopped.taken).rejects.toThrow('stopped');
}

async function install(account: string, library: string, megabytes: number): Promise<void> {
  const begun = ends.length;
  const { taken } = start(account, library);
  await until(() => ends.length > begun);
  ends[begun]?.(megabytes);
  (await taken)();
}

test('a run uses libraries that an aborted installation finishes before the run’s own installation', async () => {
  await stopWhileInstalling('a', 'shared');
  const next = start('b', 'shared');
  await until(() => ends.length === 2);
  ends[0]?.(1);
  await until(() => landed === 1);
  ends[1]?.(1);
  (await next.taken)();
  expect(removals).toBe(1);
});

test('a run that waits for an aborted installation of its account does not install the libraries again', async () => {
  await stopWhileInstalling('a', 'shared');
  const next = start('a', 'shared');
  ends[0]?.(1);
  (await next.taken)();
  expect(ends.length).toBe(1);
});

test('evicted libraries can be installed again while the worker still removes other evicted ones', async () => {
  let finish = (): void => {};
  firstRemoval = new Promise<void>(resolve => {
    finish = resolve;
  });
  for (const library of ['one', 'two', 'three']) await install('a', library, 3);
  // Evicts the first two.
  const large = start('b', 'large');
  await until(() => ends.length === 4);
  ends[3]?.(5);
  await until(() => removals > 0);
  const again = start('c', 'two');
  await until(() => ends.length === 5);
  ends[4]?.(1);
  (await again.taken)();
  finish();
  (await large.taken)();
});
