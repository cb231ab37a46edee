import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Credential, Echo, Role } from '@trawl/contracts';
import { placeDataDir } from '@trawl/embedded';
import { Client } from 'pg';
import { Child } from './child.js';
import { needed } from './needed.js';
import { until } from './until.js';

export interface Answer {
  status: number;
  body: any;
}
export type Api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

const START = '/joint-api/execute-skript/single-worker/start';

/** The real product: backend and worker as processes, on a database of their own. */
export class Platform {
  readonly url: string;
  readonly backend: Child;
  readonly worker: Child;
  workerId = '';
  #tokens = new Map<Role, string>();

  private constructor(
    readonly dataDir: string,
    private readonly database: string,
    port: number,
    workerKeyFile: { key: string },
    private readonly postgresUrl: string,
    backendEnv: Record<string, string>,
    mayReach: string[],
    workerUrl: string | undefined,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.backend = new Child('backend/dist/main.js', {
      PORT: String(port),
      TRAWL_DATA_DIR: dataDir,
      POSTGRES_URL: this.databaseUrl,
      MONGODB_URI: needed('TRAWL_TEST_MONGODB_URI'),
      ...backendEnv,
    });
    const workerEnv = {
      TRAWL_URL: workerUrl ?? this.url,
      TRAWL_DATA_DIR: dataDir,
      TRAWL_EGRESS_ALLOW: mayReach.map(url => new URL(url).host).join(','),
      get TRAWL_WORKER_KEY() {
        return workerKeyFile.key;
      },
    };
    this.worker = new Child('worker/dist/main.js', workerEnv);
  }

  /**
   * @param backendEnv settings that are not as usual
   * @param mayReach addresses of servers on this machine that runs may reach
   * @param others the backend's port, a PostgreSQL of one's own, and where the worker finds the backend
   */
  static async start(
    backendEnv: Record<string, string> = {},
    mayReach: string[] = [],
    others: { port?: number; postgresUrl?: string; workerUrl?: string } = {},
  ): Promise<Platform> {
    const { port = await freePort(), postgresUrl = needed('TRAWL_TEST_POSTGRES_URL'), workerUrl } = others;
    const temporary = mkdtempSync(join(tmpdir(), 'trawl-e2e-'));
    // A run's own user must be able to pass through.
    chmodSync(temporary, 0o711);
    const { dataDir } = placeDataDir(temporary);
    const database = `trawl_e2e_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
    await onServer(postgresUrl, `CREATE DATABASE ${database}`);
    const worker = { key: '' };
    const platform = new Platform(dataDir, database, port, worker, postgresUrl, backendEnv, mayReach, workerUrl);
    await platform.startBackend();
    const admin = await platform.as('admin');
    const { body } = await admin('POST', '/joint-api/workers/addnew', { name: 'local', public: true });
    worker.key = body.key;
    platform.workerId = body.id;
    await platform.startWorker();
    return platform;
  }

  /** Address of the database that is this platform's own. */
  get databaseUrl(): string {
    return Object.assign(new URL(this.postgresUrl), { pathname: `/${this.database}` }).toString();
  }

  startBackend(): Promise<void> {
    return this.backend.start(async () => (await fetch(`${this.url}/health/ready`)).ok);
  }

  async startWorker(): Promise<void> {
    const developer = await this.as('developer');
    await this.worker.start(async () => {
      const { body } = await developer('GET', '/apps/workers/list');
      return body.items.some((worker: any) => worker.id === this.workerId && worker.status === 'online');
    });
  }

  async close(): Promise<void> {
    await this.worker.kill('SIGTERM');
    await this.backend.kill('SIGTERM');
    await onServer(this.postgresUrl, `DROP DATABASE ${this.database} WITH (FORCE)`);
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  credential(role: Role): Credential {
    const credentials = JSON.parse(readFileSync(join(this.dataDir, 'credentials.json'), 'utf8')) as Credential[];
    return credentials.find(credential => credential.role === role) as Credential;
  }

  async as(role: Role): Promise<Api> {
    let token = this.#tokens.get(role);
    if (!token) {
      const { username, password } = this.credential(role);
      const { body } = await this.#call('POST', '/panel/login', { username, password });
      token = body.jwtToken as string;
      this.#tokens.set(role, token);
    }
    return (method, path, body, headers) => this.#call(method, path, body, token, headers);
  }

  /** A skript with these files; answers its id. */
  async skript(title: string, files: Record<string, string>, settings: object = {}): Promise<string> {
    const developer = await this.as('developer');
    const { body } = await developer('POST', '/joint-api/skripts/addnew', { title, ...settings });
    for (const [name, content] of Object.entries(files)) {
      await developer('POST', '/joint-api/skript-files/addnew', { skript_id: body.id, name, content });
    }
    return body.id;
  }

  /** Starts a run and does not wait for its end; answers its id. */
  async begin(skriptId: string, input?: unknown): Promise<string> {
    const answer = await this.startRun(skriptId, input, 0);
    if (answer.status !== 202) throw new Error(`The run did not begin: ${JSON.stringify(answer)}`);
    return answer.body.id;
  }

  /** Starts a run and answers what the API answers when it has ended. */
  async startRun(skriptId: string, input?: unknown, waitMs?: number): Promise<Answer> {
    const developer = await this.as('developer');
    const query = waitMs === undefined ? '' : `?wait_ms=${waitMs}`;
    return developer('POST', START + query, { worker_id: this.workerId, skript_id: skriptId, input });
  }

  async execution(id: string): Promise<any> {
    return (await (await this.as('developer'))('GET', `/joint-api/skript-execution/${id}`)).body;
  }

  async ended(id: string, withinMs?: number): Promise<any> {
    return until(
      async () => {
        // The backend may be away for a moment: that is what some stories are about.
        const execution = await this.execution(id).catch(() => null);
        return execution && ['end', 'error', 'stop'].includes(execution.action) ? execution : null;
      },
      `run ${id} to end`,
      withinMs,
    );
  }

  /** All echoes of a run, page by page. */
  async echoes(id: string): Promise<Echo[]> {
    const developer = await this.as('developer');
    const echoes: Echo[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const { body }: Answer = await developer('GET', `/joint-api/echoes/${id}/list?limit=1000&after_seq=${after}`);
      echoes.push(...body.items);
      after = body.next_after_seq;
    }
    return echoes;
  }

  /** All documents of one of the developer's collections. */
  async documents(collection: string): Promise<any[]> {
    const developer = await this.as('developer');
    const databases = await developer('GET', '/joint-api/mongo-databases/list');
    const documents: any[] = [];
    for (;;) {
      const path = `/joint-api/mongo/${databases.body.items[0].id}/${collection}/list?limit=1000&skip=${documents.length}`;
      const { body } = await developer('GET', path);
      documents.push(...body.items);
      if (body.items.length < 1000) return documents;
    }
  }

  async #call(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...headers,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }
}

export const freePort = (): Promise<number> => listenOnce(0);

/** The first of two neighbouring ports, below those that systems give out by themselves: nobody takes the second meanwhile. */
export async function freePortPair(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const both = await Promise.all([port, port + 1].map(listenOnce)).catch(() => null);
    if (both) return port;
  }
}

function listenOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
