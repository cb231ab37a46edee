// @ts-check
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Child } from '../common/child.mjs';
import { fromRoot } from '../common/paths.mjs';
import { Problem } from '../common/problem.mjs';
import { line, paint, progress } from '../common/terminal.mjs';
import { localWorkerKey, readAccounts, signIn, statusOf } from './accounts.mjs';
import { Api, answers } from './api.mjs';
import { openTo } from './open-to.mjs';
import { servePracticeSite } from './practice-site.mjs';
import { localAddress } from './settings.mjs';

const SITE_HOST = '127.0.0.1';
const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 12_000;

/**
 * @typedef {object} Platform
 * @property {string} address
 * @property {string} siteAddress
 * @property {string[]} openTo where other machines reach it, without TLS
 * @property {string} dataDir
 * @property {import('./accounts.mjs').Account[]} accounts
 * @property {Api | undefined} developer undefined when the developer's first password is no longer right
 * @property {Child} backend
 * @property {Child | undefined} worker undefined when there is no key for one
 */

/**
 * @typedef {object} Stoppable
 * @property {() => Promise<void>} stop
 * @property {() => void} [kill]
 */

/**
 * @typedef {object} Databases
 * @property {string} dataDir
 * @property {Promise<import('@trawl/embedded').EmbeddedDatabases>} running
 */

/**
 * Starts the databases. They need only `buildDatabases`, so that the rest can be built meanwhile.
 * @param {import('./settings.mjs').Settings} settings
 * @param {(part: Stoppable) => void} started called for each part as soon as it is started, so that the caller can stop
 *   it at any time
 * @returns {Promise<Databases>}
 */
export async function startDatabases(settings, started) {
  // Import this module only here, because the build that creates it may have just ended.
  const embedded = await import('@trawl/embedded');
  const { dataDir, movedFrom, reason } = placeOrExplain(embedded, settings.requestedDataDir);
  if (settings.isTemporary) {
    // Parts are stopped in reverse order, so the folder is deleted last, after the databases have stopped.
    started({
      stop: async () =>
        void [dataDir, settings.requestedDataDir].map(path => rmSync(path, { recursive: true, force: true })),
    });
  }
  if (movedFrom) line(`${paint.warn('!')} The data is in ${dataDir}, because ${reason}`);
  const running = embedded.startEmbedded({
    dataDir,
    cacheDir: embedded.cacheDir(),
    postgresUrl: settings.postgresUrl,
    mongodbUri: settings.mongodbUri,
    onProgress: text => line(`${paint.quiet('·')} ${text}`),
  });
  started({
    stop: () =>
      running.then(
        databases => databases.stop(),
        () => {},
      ),
  });
  // Another Trawl may have the data folder. Then nothing else may start there.
  await Promise.race([running, setImmediate()]).catch(explainProblem);
  return { dataDir, running };
}

/**
 * Starts the backend and the worker, and waits until each is ready.
 * @param {import('./settings.mjs').Settings} settings
 * @param {Databases} databases
 * @param {(part: Stoppable) => void} started as for `startDatabases`
 * @returns {Promise<Platform>}
 */
export async function startPlatform(settings, { dataDir, running }, started) {
  const { CappedLog } = await import('@trawl/embedded');
  const logDir = join(dataDir, 'logs');
  mkdirSync(logDir, { recursive: true, mode: 0o700 });
  /** @param {string} name */
  const log = name => new CappedLog(join(logDir, `${name}.log`));

  const address = localAddress(settings);
  const siteAddress = `http://${SITE_HOST}:${settings.sitePort}`;
  const common = { readyWithinMs: READY_WITHIN_MS, stopWithinMs: STOP_WITHIN_MS };
  const env = { NODE_ENV: 'production', ...settings.env, TRAWL_DATA_DIR: dataDir };

  const backend = new Child({
    ...common,
    name: 'The backend',
    args: [fromRoot('backend/dist/main.js')],
    env: { ...env, PORT: String(settings.port), HOST: settings.host, POSTGRES_URL: 'stdin' },
    late: running.then(({ postgresUrl, mongodbUri }) =>
      JSON.stringify({
        POSTGRES_URL: postgresUrl,
        USER_POSTGRES_URL: settings.env.USER_POSTGRES_URL ?? 'embedded',
        MONGODB_URI: mongodbUri,
      }),
    ),
    log: log('backend'),
    isReady: () => answers(`${address}/health/ready`),
  });
  started(backend);
  backend.spawn();
  const worker = await localWorker({ env, address, siteAddress, common, log: log('worker') });
  started(worker.child);
  worker.child.spawn();
  started(await servePracticeSite(settings.sitePort, SITE_HOST));
  await running.catch(explainProblem);
  await progress('Starting the backend', () => backend.start());

  const accounts = readAccounts(dataDir);
  const api = new Api(address);
  const [admin, developer] = await Promise.all([signIn(api, accounts, 'admin'), signIn(api, accounts, 'developer')]);
  const key = await localWorkerKey(admin, dataDir);
  if (key) {
    worker.useKey(key.key, async () => !admin || (await statusOf(admin, key.id)) === 'online');
    await progress('Starting the worker', () => worker.child.start());
  } else {
    await worker.child.stop();
    line(
      `${paint.warn('!')} No local worker: the administrator's password is no longer the first one, and there is no key yet.`,
    );
  }
  await admin?.post('/panel/logout');
  return {
    address,
    siteAddress,
    openTo: openTo(settings),
    dataDir,
    accounts,
    developer,
    backend,
    worker: key && worker.child,
  };
}

/**
 * @param {Error} error
 * @returns {never}
 */
function explainProblem(error) {
  throw new Problem(error.message);
}

/**
 * @param {typeof import('@trawl/embedded')} embedded
 * @param {string} requested
 */
function placeOrExplain(embedded, requested) {
  try {
    return embedded.placeDataDir(requested);
  } catch (error) {
    throw new Problem(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {object} parts
 * @param {NodeJS.ProcessEnv} parts.env
 * @param {string} parts.address
 * @param {string} parts.siteAddress
 * @param {{ readyWithinMs: number, stopWithinMs: number }} parts.common
 * @param {import('@trawl/embedded').CappedLog} parts.log
 * @returns {Promise<{ child: Child, useKey: (key: string, isOnline: () => Promise<boolean>) => void }>} `child`: not yet
 *   started; it tests its machine, and connects when it has its key
 */
async function localWorker({ env, address, siteAddress, common, log }) {
  // Import these modules only here, because they do not exist before the first build.
  const { NODE_ARGUMENTS } = await import(fromRoot('worker/dist/node-arguments.js'));
  const { RESTART_EXIT_CODE } = await import(fromRoot('worker/dist/exit-codes.js'));
  /** @type {(key: string) => void} */
  let giveKey = () => {};
  let isReady = async () => false;
  const child = new Child({
    ...common,
    name: 'The worker',
    args: [...NODE_ARGUMENTS, fromRoot('worker/dist/main.js')],
    restartCode: RESTART_EXIT_CODE,
    env: {
      ...withoutSecrets(env),
      TRAWL_URL: address,
      TRAWL_WORKER_KEY: 'stdin',
      // The sample skripts scrape the practice site on this machine.
      TRAWL_EGRESS_ALLOW: [env.TRAWL_EGRESS_ALLOW, new URL(siteAddress).host].filter(Boolean).join(','),
    },
    late: new Promise(resolve => {
      giveKey = resolve;
    }),
    log,
    isReady: () => isReady(),
  });
  const useKey = (/** @type {string} */ key, /** @type {() => Promise<boolean>} */ isOnline) => {
    isReady = isOnline;
    giveKey(key);
  };
  return { child, useKey };
}

/**
 * Returns the settings without those that are secret. The worker must not see these, because it runs untrusted code.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutSecrets({
  POSTGRES_URL,
  USER_POSTGRES_URL,
  MONGODB_URI,
  REDIS_URL,
  TRAWL_SECRET,
  TRAWL_SECRET_PREVIOUS,
  SMTP_URL,
  ...rest
}) {
  return rest;
}
