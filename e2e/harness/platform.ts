import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { placeDataDir } from '@trawl/embedded';
import { Client } from 'pg';
import { Child, isInContainers, runtime } from './child.js';
import { needed } from './needed.js';
import { PlatformClient } from './platform-client.js';
import { freePort } from './ports.js';
import { temporaryFolder } from './temporary-folder.js';
import { WorkerProcess } from './worker-process.js';

export interface PlatformOptions {
  /** Settings of the backend that differ from the defaults. */
  backendEnv?: Record<string, string>;
  /** Addresses of servers on this machine that runs can connect to. */
  mayReach?: string[];
  /** Whether tests open the website, which then has the platform's own address. */
  ownWebsite?: boolean;
  /** The backend's port; by default any free one. */
  port?: number;
  /** Address of a PostgreSQL server. By default it is the server that all tests share. */
  postgresUrl?: string;
  /**
   * Settings of the worker that differ from the defaults. TRAWL_URL is needed only if the worker must not use the
   * backend's own address.
   */
  workerEnv?: Record<string, string>;
}

/** A platform for one test alone: backend and worker are real processes or containers, with a database of their own. */
export class Platform extends PlatformClient {
  readonly backend: Child;
  #worker: WorkerProcess | undefined;
  readonly #temporary: string;

  private constructor(
    private readonly postgresUrl: string,
    private readonly database: string,
    port: number,
    backendEnv: Record<string, string>,
    ownWebsite: boolean,
    addresses: Record<string, string>,
  ) {
    super();
    this.#temporary = temporaryFolder('trawl-e2e-');
    this.dataDir = placeDataDir(this.#temporary).dataDir;
    this.url = `http://127.0.0.1:${port}`;
    this.backend = new Child('backend/dist/main.js', {
      PORT: String(port),
      TRAWL_DATA_DIR: this.dataDir,
      POSTGRES_URL: this.databaseUrl,
      USER_POSTGRES_URL: needed('TRAWL_TEST_POSTGRES_URL'),
      MONGODB_URI: needed('TRAWL_TEST_MONGODB_URI'),
      // A container does not see the copy that processes share.
      ...(ownWebsite || isInContainers() ? {} : shareWebsite(this.dataDir)),
      ...addresses,
      ...backendEnv,
    });
  }

  static async start({
    backendEnv = {},
    mayReach = [],
    ownWebsite = false,
    port,
    postgresUrl = needed('TRAWL_TEST_POSTGRES_URL'),
    workerEnv = {},
  }: PlatformOptions = {}): Promise<Platform> {
    const database = `trawl_e2e_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
    await onServer(postgresUrl, `CREATE DATABASE ${database}`);
    const addresses = await runtime().addresses();
    const platform = new Platform(postgresUrl, database, port ?? (await freePort()), backendEnv, ownWebsite, addresses);
    try {
      await platform.startBackend();
      platform.#worker = await WorkerProcess.start(
        await platform.as('admin'),
        { name: 'local', public: true },
        {
          TRAWL_URL: platform.url,
          TRAWL_EGRESS_ALLOW: mayReach.map(url => new URL(url).host).join(','),
          ...workerEnv,
        },
      );
    } catch (error) {
      await platform.close();
      throw error;
    }
    platform.workerId = platform.worker.id;
    return platform;
  }

  /** Address of this platform's own database. */
  get databaseUrl(): string {
    return Object.assign(new URL(this.postgresUrl), { pathname: `/${this.database}` }).toString();
  }

  get worker(): WorkerProcess {
    return this.#worker as WorkerProcess;
  }

  startBackend(): Promise<void> {
    return this.backend.start(async () => (await fetch(`${this.url}/health/ready`)).ok);
  }

  /** Stops all processes and deletes the database and the data folders. */
  async close(): Promise<void> {
    await this.#worker?.close();
    await this.backend.kill('SIGTERM');
    await onServer(this.postgresUrl, `DROP DATABASE ${this.database} WITH (FORCE)`);
    for (const folder of [this.dataDir, this.#temporary]) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns settings of a backend whose website no test opens. Each backend serves a copy of the website with its own
 * address, and making one takes two seconds of processor time. Backends with the same address can share a copy.
 */
export function shareWebsite(dataDir: string): Record<string, string> {
  symlinkSync(needed('TRAWL_TEST_WEBSITE_COPIES'), join(dataDir, 'website'));
  return { TRAWL_PUBLIC_URL: 'http://trawl.test' };
}

export async function onServer(url: string, sql: string, values: unknown[] = []): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}
