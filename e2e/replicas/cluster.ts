import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Trawl } from '@trawl/client';
import { placeDataDir } from '@trawl/embedded';
import { type DebianServer, RedisServer } from '@trawl/embedded/debian-server';
import { Pool } from 'pg';
import { Child } from '../harness/child.js';
import { needed } from '../harness/needed.js';
import { onServer, shareWebsite } from '../harness/platform.js';
import { PlatformClient } from '../harness/platform-client.js';
import { freePorts } from '../harness/ports.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { until } from '../harness/until.js';
import { startCaddy } from './caddy.js';

const BACKENDS = isFullTest ? 3 : 2;
const WORKERS = isFullTest ? 5 : 2;
/** Every process is back long before a client gives up. */
const RETRY_FOR_MS = 300_000;
/** Timeout of a call, for calls to a frozen backend. The client then repeats it. */
const CALL_MS = 15_000;
/** Longer than the default, so that workers on a busy machine lose no lease while they connect to another backend. */
const LEASE_MS = isFullTest ? 30_000 : 20_000;
/** How long a backend that was told to stop still serves calls. */
export const DRAIN_MS = 10_000;

export interface Backend {
  url: string;
  child: Child;
  /** Id of this start of the backend, as in the table `backends`. */
  id: string;
}

export interface GroupWorker {
  id: string;
  name: string;
  child: Child;
}

/** Several backends behind Caddy, with Redis and a group of workers. All are processes, with a database of their own. */
export class Cluster extends PlatformClient {
  readonly backends: Backend[] = [];
  readonly workers: GroupWorker[] = [];
  readonly #folder = temporaryFolder('trawl-replicas-');
  readonly #name = `trawl_replicas_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
  readonly #dataDirs: string[] = [];
  #database!: Pool;
  #redis!: RedisServer;
  #caddy!: DebianServer;
  #token?: Promise<string>;
  #calls = 0;

  /** @param mayReach address of a server on this machine that runs can connect to */
  static async start(mayReach: string): Promise<Cluster> {
    const cluster = new Cluster();
    try {
      await cluster.#start(mayReach);
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  get redis(): RedisServer {
    return this.#redis;
  }

  get caddy(): DebianServer {
    return this.#caddy;
  }

  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#database.query<Row>(text, values)).rows;
  }

  /** Starts a backend, for the first time or again. */
  async startBackend(backend: Backend): Promise<void> {
    await backend.child.start(async () => (await fetch(`${backend.url}/health/ready`)).ok);
    // Ids are in the order of time, and the test starts one backend after the other.
    const [newest] = await this.sql<{ id: string }>('SELECT id FROM backends ORDER BY id DESC LIMIT 1');
    backend.id = newest?.id as string;
  }

  /** Starts a worker's process, for the first time or again, and waits until it is connected. */
  async startWorker(worker: GroupWorker): Promise<void> {
    await worker.child.start(async () => {
      worker.name = /"worker":"([^"]+)","msg":"connected to the platform"/.exec(worker.child.log)?.[1] ?? '';
      return worker.name !== '';
    });
    const [row] = await this.sql<{ id: string }>('SELECT id FROM workers WHERE name = $1', [worker.name]);
    worker.id = row?.id as string;
  }

  /** Returns the id of the backend that has the connection of a worker; null while none has it. */
  async holderOf(worker: GroupWorker): Promise<string | null> {
    const [lease] = await this.sql<{ replica_id: string | null }>(
      'SELECT replica_id FROM worker_leases WHERE worker_id = $1',
      [worker.id],
    );
    return lease?.replica_id ?? null;
  }

  /** Returns a client that calls the platform through Caddy. */
  async throughCaddy(): Promise<Trawl> {
    return new Trawl({ url: this.url, key: await this.#key(), retryForMs: RETRY_FOR_MS });
  }

  /**
   * Returns a client each of whose calls goes to a backend that does not have the connection of the worker, if there is
   * one.
   */
  async elsewhere(worker: GroupWorker): Promise<Trawl> {
    const send = async (request: Request): Promise<Response> => {
      const holder = await this.holderOf(worker);
      const running = this.backends.filter(({ child }) => child.end === null);
      const others = running.filter(({ id }) => id !== holder);
      const possible = others.length > 0 ? others : running;
      const { url } = possible[this.#calls++ % possible.length] as Backend;
      const { pathname, search } = new URL(request.url);
      return fetch(new Request(url + pathname + search, request), { signal: AbortSignal.timeout(CALL_MS) });
    };
    return new Trawl({ url: this.url, key: await this.#key(), retryForMs: RETRY_FOR_MS, fetch: send });
  }

  async close(): Promise<void> {
    for (const { child } of [...this.workers, ...this.backends]) {
      child.signal('SIGCONT');
      await child.kill('SIGTERM');
    }
    await this.#caddy?.stop();
    await this.#redis?.stop();
    await this.#database?.end();
    await onServer(needed('TRAWL_TEST_POSTGRES_URL'), `DROP DATABASE IF EXISTS ${this.#name} WITH (FORCE)`);
    for (const folder of [...this.#dataDirs, this.#folder]) rmSync(folder, { recursive: true, force: true });
  }

  async #start(mayReach: string): Promise<void> {
    const [caddyPort, redisPort, ...ports] = await this.#ports();
    const server = needed('TRAWL_TEST_POSTGRES_URL');
    await onServer(server, `CREATE DATABASE ${this.#name}`);
    const databaseUrl = Object.assign(new URL(server), { pathname: `/${this.#name}` }).toString();
    this.#database = new Pool({ connectionString: databaseUrl, max: 2 });
    this.#redis = new RedisServer(redisPort);
    await this.#redis.start();
    for (const port of ports) {
      const dataDir = this.#dataDir(`backend-${port}`);
      const env = {
        PORT: String(port),
        TRAWL_DATA_DIR: dataDir,
        TRAWL_SECRET: 'the same secret for all backends of this test',
        TRAWL_DRAIN_MS: String(DRAIN_MS),
        TRAWL_LEASE_MS: String(LEASE_MS),
        TRAWL_TRUSTED_PROXIES: '127.0.0.1',
        POSTGRES_URL: databaseUrl,
        USER_POSTGRES_URL: server,
        MONGODB_URI: needed('TRAWL_TEST_MONGODB_URI'),
        REDIS_URL: this.#redis.url,
        ...shareWebsite(dataDir),
      };
      const backend = { url: `http://127.0.0.1:${port}`, child: new Child('backend/dist/main.js', env), id: '' };
      this.backends.push(backend);
      await this.startBackend(backend);
    }
    // The first backend created the accounts.
    this.dataDir = this.#dataDirs[0] as string;
    const urls = this.backends.map(({ url }) => url);
    this.#caddy = await startCaddy(this.#folder, caddyPort, urls);
    this.url = `http://127.0.0.1:${caddyPort}`;
    await this.#startWorkers(mayReach);
  }

  async #startWorkers(mayReach: string): Promise<void> {
    const admin = await this.as('admin');
    const group = await until(async () => {
      const answer = await admin('POST', '/joint-api/worker-groups/addnew', { name: 'group', public: true });
      return answer.status === 201 && answer.body;
    }, 'the worker group to be created');
    for (let n = 1; n <= WORKERS; n += 1) {
      const child = new Child('worker/dist/main.js', {
        TRAWL_URL: this.url,
        TRAWL_WORKER_KEY: group.key,
        TRAWL_DATA_DIR: this.#dataDir(`worker-${n}`),
        TRAWL_EGRESS_ALLOW: mayReach,
        TRAWL_SLOTS: '4',
        CHROME_PATH: '/bin/false',
      });
      this.workers.push({ id: '', name: '', child });
    }
    await Promise.all(this.workers.map(worker => this.startWorker(worker)));
  }

  async #ports(): Promise<[number, number, ...number[]]> {
    const count = 2 + BACKENDS;
    const first = await freePorts(count);
    return Array.from({ length: count }, (_, index) => first + index) as [number, number, ...number[]];
  }

  #dataDir(name: string): string {
    const { dataDir } = placeDataDir(join(this.#folder, name));
    this.#dataDirs.push(dataDir);
    return dataDir;
  }

  #key(): Promise<string> {
    this.#token ??= this.signIn('developer');
    return this.#token;
  }
}
