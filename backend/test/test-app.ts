import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type Credential, leaseTimes } from '@trawl/contracts';
import { Client, Pool } from 'pg';
import { type Logger, pino } from 'pino';
import { createApp } from '../src/app.js';
import { type Config, loadConfig } from '../src/platform/common/config.js';
import { BundlerService } from '../src/runs/skripts/bundles/bundler.service.js';
import { templateDatabase } from './template-database.js';

declare global {
  /** Results of builds by their request. `scripts/jest/node-environment.cjs` keeps it for later test files. */
  var testBuilds: Map<string, ReturnType<BundlerService['bundle']>> | undefined;
}

export interface Answer<Body = any> {
  status: number;
  headers: Headers;
  body: Body;
}

const FASTEST_TIMER_MS = 2_000;

export type Api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

export interface TestApp {
  url: string;
  config: Config;
  /** Calls the API without a token. */
  anonymous: Api;
  /** Calls the API with a token or key. */
  bearer: (token: string) => Api;
  /** Calls the API as one of the two accounts that the platform creates at its first start. */
  as: (username: 'admin' | 'developer') => Promise<Api>;
  token: (username: 'admin' | 'developer') => Promise<string>;
  credentials: (username: 'admin' | 'developer') => { username: string; password: string };
  sql: <Row>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Returns a provider (service) of the application. For example, a test can run scheduled work at once. */
  part: <T>(token: Type<T> | symbol) => T;
  /** Stops the application but keeps its database. `start` uses the same database again. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Starts the whole backend with its own database, on a free port. To change settings: `stop`, change `config`, `start`.
 */
export async function startTestApp({
  settings = {},
  logger = pino({ level: process.env.TRAWL_TEST_LOG_LEVEL ?? 'silent' }),
}: {
  settings?: Partial<Config>;
  logger?: Logger;
} = {}): Promise<TestApp> {
  const name = `trawl_test_${process.pid}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
  const server = needed('TRAWL_TEST_POSTGRES_URL');
  const postgresUrl = Object.assign(new URL(server), { pathname: `/${name}` }).toString();
  // Copying the files takes half the processor time of the default, which writes each page to the write-ahead log.
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${await templateDatabase(server)} STRATEGY FILE_COPY`);
  const dataDir = mkdtempSync(join(tmpdir(), 'trawl-backend-'));
  const config: Config = {
    ...loadConfig({
      PORT: '0',
      TRAWL_DATA_DIR: dataDir,
      TRAWL_PUBLIC_URL: 'http://localhost',
      POSTGRES_URL: postgresUrl,
      USER_POSTGRES_URL: server,
      MONGODB_URI: needed('TRAWL_TEST_MONGODB_URI'),
      TRAWL_SECRET: 'a secret for tests that is long enough',
      TRAWL_LOG_LEVEL: 'silent',
    }),
    passwordHash: { memoryCost: 8, timeCost: 1 },
    // Workers of tests do not renew their leases, and a test on a busy machine may take longer than the default.
    leaseMs: 60_000,
    // Most tests have one account, which fills the worker.
    accountSlotsPercent: 100,
    websiteDir: join(dataDir, 'website'),
    websiteState: join(dataDir, 'website-build.json'),
    panelDir: join(dataDir, 'panel'),
    ...settings,
  };
  let app = await openApp(config, logger);
  const urlOf = async () => (await app.getUrl()).replace('[::1]', '127.0.0.1');
  let url = await urlOf();
  const pool = new Pool({ connectionString: postgresUrl, max: 2 });
  // Ignore this error: PostgreSQL may drop the database before it notices that this connection is closing.
  pool.on('error', () => {});
  const tokens = new Map<string, string>();

  const apiWith =
    (token?: string): Api =>
    async (method, path, body, headers = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: toBody(body),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    };

  const credentials = (username: string) => {
    const all = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credential[];
    const { password } = all.find(credential => credential.username === username) as Credential;
    return { username, password };
  };

  const token = async (username: string): Promise<string> => {
    const known = tokens.get(username);
    if (known) return known;
    const { body } = await apiWith()('POST', '/panel/login', credentials(username));
    tokens.set(username, body.jwtToken);
    return body.jwtToken;
  };

  return {
    get url() {
      return url;
    },
    config,
    anonymous: apiWith(),
    bearer: apiWith,
    as: async username => apiWith(await token(username)),
    token,
    credentials,
    sql: async (text, values) => (await pool.query(text, values)).rows,
    part: token => app.get(token, { strict: false }),
    stop: () => app.close(),
    start: async () => {
      app = await openApp(config, logger);
      url = await urlOf();
    },
    close: async () => {
      await app.close();
      const { rows } = await pool.query<{ name: string }>('SELECT name FROM postgres_databases');
      await pool.end();
      await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
      for (const users of rows) {
        if (config.userPostgresUrl !== server) break;
        await onServer(server, `DROP DATABASE IF EXISTS ${users.name} WITH (FORCE)`);
        await onServer(server, `DROP ROLE IF EXISTS ${users.name}`);
      }
      rmSync(dataDir, { recursive: true });
    },
  };
}

async function openApp(config: Config, logger: Logger): Promise<NestExpressApplication> {
  const app = await createApp(config, logger);
  buildOnce(app.get(BundlerService, { strict: false }));
  await withSlowTimers(leaseTimes(config.leaseMs).sweepMs, () => app.listen(0, '127.0.0.1'));
  return app;
}

/**
 * Starts the timers of an application with a period of at least 2 s. On a busy machine, tests wait
 * most of the time, and an application that only waits should take little of it. The look for due work keeps its period: tests let leases expire, and wait for it.
 */
async function withSlowTimers(sweepMs: number, start: () => Promise<unknown>): Promise<void> {
  const { setInterval } = globalThis;
  const slow = (callback: () => void, ms: number) =>
    setInterval(callback, ms === sweepMs ? ms : Math.max(ms, FASTEST_TIMER_MS));
  globalThis.setInterval = slow as typeof setInterval;
  try {
    await start();
  } finally {
    globalThis.setInterval = setInterval;
  }
}

/**
 * Keeps the results of builds for all test files of the process, because each build takes the processor time of 50
 * calls, and many tests have a skript with the same files.
 */
function buildOnce(bundler: BundlerService): void {
  globalThis.testBuilds ??= new Map();
  const builds = globalThis.testBuilds;
  const bundle = bundler.bundle.bind(bundler);
  bundler.bundle = (ownerId, ...files) => {
    const key = JSON.stringify(files);
    const build = builds.get(key) ?? bundle(ownerId, ...files);
    builds.set(key, build);
    build.catch(() => builds.delete(key));
    return build;
  };
}

/**
 * Starts an application before the tests of the calling file and closes it after them. If a file needs the application
 * in its own `afterAll`, it must call `startTestApp` instead.
 */
export function appForFile(options?: Parameters<typeof startTestApp>[0]): {
  app: TestApp;
  developer: Api;
  admin: Api;
} {
  const app = {} as TestApp;
  const as =
    (username: 'admin' | 'developer'): Api =>
    async (...call) =>
      (await app.as(username))(...call);
  beforeAll(async () => {
    // Copy the getters. `Object.assign` would copy the current value of `url`, which changes when the application
    // starts again.
    Object.defineProperties(app, Object.getOwnPropertyDescriptors(await startTestApp(options)));
  });
  afterAll(() => app.close?.());
  return { app, developer: as('developer'), admin: as('admin') };
}

/** Text and bytes are sent unchanged, all other values as JSON. */
function toBody(body: unknown): RequestInit['body'] {
  if (body === undefined || typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests through Jest's integration project.`);
  return value;
}
