// @ts-check
// Servers on the same embedded databases: Trawl's backend, the same statements in bare Nest, and Parse Server.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cacheDir, startEmbedded } from '@trawl/embedded';
import { withPackages } from './packages.mjs';
import { apiOf, freePort, makeDataDir } from './platform.mjs';
import { startWorker } from './worker.mjs';

/** @param {string} path below bench/ */
const here = path => fileURLToPath(new URL(path, import.meta.url));

/** @typedef {{ url: string, headers: Record<string, string>, call: (method: string, path: string, body?: object) => Promise<any> }} Server */

/**
 * Starts Trawl's backend on embedded databases, without a worker.
 * @param {{ mongoOverTcp?: boolean, env?: Record<string, string> }} [options] `env`: settings of the backend. `mongoOverTcp`: whether MongoDB is reached over TCP, for clients that
 * cannot open its unix socket
 */
export async function startTrawl({ mongoOverTcp = false, env = {} } = {}) {
  const { dataDir, remove } = makeDataDir();
  /** @type {(() => unknown)[]} */
  const stops = [remove];
  const stop = async () => {
    for (const end of stops.reverse()) await end();
  };
  try {
    const databases = await startEmbedded({ dataDir, cacheDir: cacheDir(), onProgress: console.error });
    stops.push(() => databases.stop());
    const { postgresUrl } = databases;
    const mongodbUri = mongoOverTcp ? await tcpUri(databases.mongodbUri, stops) : databases.mongodbUri;
    /** @param {Record<string, string>} [env] */
    const addBackend = (env = {}) =>
      startBackend(
        { POSTGRES_URL: postgresUrl, USER_POSTGRES_URL: postgresUrl, MONGODB_URI: mongodbUri, ...env },
        dataDir,
        stops,
      );
    const trawl = await addBackend(env);
    const { id: ownerId } = await trawl.call('GET', '/joint-api/account');
    return { trawl, addBackend, dataDir, ownerId: String(ownerId), postgresUrl, mongodbUri, stops, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts a worker that is open to all accounts. It is stopped with the platform.
 * @param {Pick<Awaited<ReturnType<typeof startTrawl>>, 'trawl' | 'dataDir' | 'stops'>} platform
 * @param {Record<string, string>} [env] settings of the worker
 */
export async function addWorker({ trawl, dataDir, stops }, env, name = 'bench') {
  const { call } = await apiOf(trawl.url, dataDir, 'admin');
  const { id, key } = await call('POST', '/joint-api/workers/addnew', { name, public: true });
  const folder = makeDataDir();
  stops.push(folder.remove);
  const worker = await startWorker({ url: trawl.url, key, dataDir: folder.dataDir, env });
  stops.push(worker.stop);
  return { id: String(id), pid: worker.pid };
}

/** @param {string} uri of MongoDB on a unix socket @param {(() => unknown)[]} stops */
async function tcpUri(uri, stops) {
  const socket = decodeURIComponent(String(/^mongodb:\/\/([^/?]+)/.exec(uri)?.[1]));
  const { value: port } = await startProcess(here('./tcp-to-socket.mjs'), [socket], {}, stops);
  return `mongodb://127.0.0.1:${port}/?directConnection=true`;
}

/**
 * Starts Trawl and the two servers that it is compared with.
 * @param {'postgres' | 'mongodb'} parseOn database of Parse Server
 */
export async function startServers(parseOn) {
  const { stops, ...started } = await startTrawl({ mongoOverTcp: true });
  const { ownerId, postgresUrl, mongodbUri, stop } = started;
  try {
    const env = { POSTGRES_URL: postgresUrl, MONGODB_URI: mongodbUri, OWNER_ID: ownerId };
    const { value: barePort } = await startProcess(here('./bare-nest.mjs'), [], env, stops);
    const parse = await startParse(
      parseOn === 'postgres' ? `${postgresUrl}?poolSize=20` : mongodbUri.replace('/?', '/parse?'),
      stops,
    );
    return { ...started, bare: serverAt(`http://127.0.0.1:${barePort}`), parse };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {Record<string, string>} env @param {string} dataDir @param {(() => unknown)[]} stops
 * @returns {Promise<Server & { pid: number }>} signed in as developer
 */
async function startBackend(env, dataDir, stops) {
  const port = await freePort();
  const { pid } = await startProcess(
    here('../backend/dist/main.js'),
    [],
    { ...env, PORT: String(port), TRAWL_DATA_DIR: dataDir, TRAWL_LOG_LEVEL: 'info', TRAWL_SUPERVISED: '1' },
    stops,
    /backend ready/,
    { detached: true },
  );
  const url = `http://127.0.0.1:${port}`;
  const { call, token } = await apiOf(url, dataDir, 'developer');
  return { url, headers: { authorization: `Bearer ${token}` }, call, pid };
}

/** @param {string} databaseUri @param {(() => unknown)[]} stops @returns {Promise<Server>} signed in as an ordinary user */
async function startParse(databaseUri, stops) {
  const folder = await withPackages('parse-server');
  const [appId, masterKey] = ['bench', randomBytes(16).toString('hex')];
  // Without this setting, Parse Server's logger creates a folder for logs when it is loaded.
  const env = { DATABASE_URI: databaseUri, APP_ID: appId, MASTER_KEY: masterKey, PARSE_SERVER_LOGS_FOLDER: 'null' };
  const { value: port } = await startProcess(join(folder, 'server.mjs'), [], env, stops);
  const url = `http://127.0.0.1:${port}/parse`;
  const headers = { 'x-parse-application-id': appId };
  const { call } = serverAt(url, headers);
  const { sessionToken } = await call('POST', '/users', {
    username: 'bench',
    password: randomBytes(16).toString('hex'),
  });
  return serverAt(url, { ...headers, 'x-parse-session-token': sessionToken });
}

/** @param {string} url @param {Record<string, string>} [headers] @returns {Server} */
function serverAt(url, headers = {}) {
  return {
    url,
    headers,
    call: async (method, path, body) => {
      const response = await fetch(url + path, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        body: body && JSON.stringify(body),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
      return answer;
    },
  };
}

/**
 * Starts a program and adds its shutdown to `stops`.
 * @param {string} file @param {string[]} args @param {Record<string, string>} env @param {(() => unknown)[]} stops
 * @param {RegExp} ready matches the line that it prints when it is ready
 * @param {{ detached?: boolean }} [options] `detached`: whether it gets a session of its own, as in `npm start`. It must
 * end when its standard input closes
 * @returns {Promise<{ value: string | undefined, pid: number }>} first group of `ready`, and the process
 */
export async function startProcess(file, args, env, stops, ready = /^port (\d+)$/, options = {}) {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options,
  });
  const ended = once(child, 'exit');
  stops.push(() => {
    child.kill();
    return ended;
  });
  const lines = createInterface({ input: child.stdout });
  const said = new Promise(resolve => {
    lines.on('line', line => {
      const found = ready.exec(line);
      if (found) resolve(found[1]);
    });
  });
  const value = await Promise.race([
    said,
    ended.then(([code]) => Promise.reject(new Error(`${file} exited with ${code}`))),
  ]);
  return { value, pid: Number(child.pid) };
}
