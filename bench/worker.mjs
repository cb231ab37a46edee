// @ts-check
// Starts a worker. It is connected to Trawl's backend, or to a minimal platform that only offers runs and accepts
// results.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LEASE_MS, LIMITS, PROTOCOL, WORKER_NAMESPACE } from '@trawl/contracts';
import { NODE_ARGUMENTS } from '@trawl/worker/dist/node-arguments.js';
import { Server } from 'socket.io';
import { makeDataDir } from './platform.mjs';

const WORKER = fileURLToPath(new URL('../worker/dist/main.js', import.meta.url));

/**
 * Starts a worker and waits until it is connected.
 * @param {{ url: string, key: string, dataDir: string, env?: Record<string, string> }} options
 */
export async function startWorker({ url, key, dataDir, env = {} }) {
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, WORKER], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TRAWL_URL: url,
      TRAWL_WORKER_KEY: key,
      TRAWL_DATA_DIR: dataDir,
      // With this setting the worker starts no supervisor, so that there is only one process.
      TRAWL_SUPERVISED: '1',
      TRAWL_FETCH_CHROMIUM: '0',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    // A session of its own, as in `npm start`: the kernel shares the processors between sessions.
    detached: true,
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  await new Promise((resolve, reject) => {
    ended.then(([code]) => reject(new Error(`the worker exited with ${code}`)));
    lines.on('line', line => {
      if (line.includes('connected to the platform')) resolve(undefined);
    });
  });
  return {
    pid: Number(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** @typedef {{ action: string, output: string | null, error_stack: string | null }} Finish */

/**
 * Starts a worker, and in this process a minimal platform that stores nothing.
 * @param {Record<string, string>} [env]
 * @param {(op: { method: string }) => object} [answer] answers calls of runs, with an object that becomes JSON
 */
export async function startLoneWorker(env, answer = () => ({})) {
  const KEY = 'trw_key-of-the-benchmarks-worker';
  const { dataDir, remove } = makeDataDir();
  /** @type {Map<string, string>} */
  const bundles = new Map();
  /** @type {Map<string, (finish: Finish) => void>} */
  const waiting = new Map();
  /** @type {import('socket.io').Socket | undefined} */
  let worker;
  /** @type {{ sandbox: string, environments: string[] } | undefined} */
  let hello;
  const http = createServer((request, response) => {
    const code = bundles.get(String(request.url?.split('/').at(-1)));
    response.writeHead(code === undefined ? 404 : 200).end(code);
  });
  const io = new Server(http, { transports: ['websocket'], maxHttpBufferSize: LIMITS.frameBytes });
  io.of(WORKER_NAMESPACE).on('connection', socket => {
    socket.on('hello', (frame, acknowledge) => {
      worker = socket;
      hello = frame;
      const ids = { worker_id: randomUUID(), worker_name: 'bench' };
      /** @type {import('@trawl/contracts').Welcome} */
      const welcome = { protocol: PROTOCOL, epoch: 1, ...ids, lease_ms: LEASE_MS, kill: [], forget: [], controls: [] };
      acknowledge(welcome);
    });
    socket.on('beat', ({ n }, acknowledge) => acknowledge({ n }));
    socket.on('state', ({ seq }, acknowledge) => acknowledge({ seq }));
    socket.on('echo_chunk', ({ n }, acknowledge) => acknowledge({ n }));
    socket.on('storage', ({ op }, acknowledge) => acknowledge({ result: Buffer.from(JSON.stringify(answer(op))) }));
    socket.on('finish', (finish, acknowledge) => {
      acknowledge({ result: 'ok' });
      waiting.get(finish.id)?.(finish);
      waiting.delete(finish.id);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (http.address());
  const process_ = await startWorker({ url: `http://127.0.0.1:${address.port}`, key: KEY, dataDir, env });

  let offers = 0;
  /**
   * Runs CommonJS code and waits for its end.
   * @param {string} code
   * @param {object} [offer] fields of the offer
   * @returns {Promise<Finish>}
   */
  const run = async (code, offer = {}) => {
    const bundle = createHash('sha256').update(code).digest('hex');
    bundles.set(bundle, code);
    const id = randomUUID();
    /** @type {Promise<Finish>} */
    const ended = new Promise(resolve => waiting.set(id, resolve));
    offers += 1;
    const answer = await worker?.emitWithAck('offer', {
      n: offers,
      id,
      skript: { id, title: 'bench' },
      environment: 'nodejs',
      bundle,
      lock: null,
      owner_id: '0190f7a2-0000-7000-8000-00000000000a',
      warm: false,
      input: null,
      input_secret: null,
      limits: { time_ms: 60_000, pause_ms: 60_000, output_bytes: LIMITS.outputBytes },
      ends_with_lease: false,
      token: 'token',
      ...offer,
    });
    if (!answer?.accepted) throw new Error(`the worker refused a run: ${JSON.stringify(answer)}`);
    const finish = await ended;
    if (finish.action !== 'end') throw new Error(`a run ended with ${finish.action}: ${finish.error_stack}`);
    return finish;
  };
  return {
    run,
    pid: process_.pid,
    dataDir,
    get sandbox() {
      return String(hello?.sandbox);
    },
    get environments() {
      return hello?.environments ?? [];
    },
    stop: async () => {
      await process_.stop();
      await io.close();
      remove();
    },
  };
}
