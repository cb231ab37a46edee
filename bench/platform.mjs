// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_RUN_NODE } from '@trawl/contracts';
import { runNodePath } from '@trawl/worker/dist/executor/run-nodes.js';

const START = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url));
const READY = 'Press Ctrl-C to stop';

/** The Node with which workers run skripts. Baselines use it too, because versions of Node start at different speeds. */
export const RUN_NODE = runNodePath(DEFAULT_RUN_NODE) ?? process.execPath;

/** Creates a data folder for a benchmark. */
export function makeDataDir() {
  const dataDir = mkdtempSync(join(tmpdir(), 'trawl-bench-'));
  chmodSync(dataDir, 0o711); // runs have their own users, which must be able to enter
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
}

/**
 * Runs `npm start`.
 * @param {string} dataDir
 * @param {number} [chosen] port; by default a free one
 */
export async function startPlatform(dataDir, chosen) {
  const port = chosen ?? (await freePort());
  const beganAt = performance.now();
  const child = spawn(process.execPath, [START], {
    env: {
      TRAWL_QUOTA_WAITING_RUNS: '0',
      TRAWL_FETCH_CHROMIUM: '0',
      ...process.env,
      PORT: String(port),
      TRAWL_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  await new Promise((resolve, reject) => {
    child.stdout.on('data', chunk => {
      output += chunk;
      if (output.includes(READY)) resolve(undefined);
    });
    child.once('exit', code => reject(new Error(`npm start exited with ${code}:\n${output}`)));
  });
  return {
    readyMs: performance.now() - beganAt,
    url: `http://127.0.0.1:${port}`,
    pid: Number(child.pid),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
    },
  };
}

/**
 * Signs in to one of the accounts that the first start created, and returns a client of the API.
 * @param {string} url
 * @param {string} dataDir
 * @param {'admin' | 'developer'} username
 */
export async function apiOf(url, dataDir, username) {
  /** @type {{ username: string, password: string }[]} */
  const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  const password = credentials.find(account => account.username === username)?.password;
  /** @type {string | undefined} */
  let token;
  /** @param {string} method @param {string} path @param {object} [body] */
  const call = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: body && JSON.stringify(body),
    });
    const answer = /** @type {any} */ (await response.json());
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  token = String((await call('POST', '/panel/login', { username, password })).jwtToken);
  return { call, token };
}

/**
 * Environment of the Node processes that are the baseline. It leaves out settings such as NODE_EXTRA_CA_CERTS, which
 * can make the start of Node much slower, because Trawl's runs do not inherit them either.
 */
export const bareEnvironment = { PATH: process.env.PATH };

/** @param {number[]} values */
export const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** @param {number[]} values @param {number} part such as 0.99 */
export const percentile = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
