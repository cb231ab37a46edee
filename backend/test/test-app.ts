import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { type Credential, QUOTAS } from '@trawl/contracts';
import { Client, Pool } from 'pg';
import { type Logger, pino } from 'pino';
import { createApp } from '../src/app.js';
import type { Config } from '../src/common/config.js';

export interface Answer<Body = any> {
  status: number;
  headers: Headers;
  body: Body;
}

export type Api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

export interface TestApp {
  url: string;
  config: Config;
  /** Calls the API without a token. */
  anonymous: Api;
  /** Calls the API with a token or key. */
  bearer: (token: string) => Api;
  /** Calls the API as one of the first accounts. */
  as: (username: 'admin' | 'developer') => Promise<Api>;
  token: (username: 'admin' | 'developer') => Promise<string>;
  credentials: (username: 'admin' | 'developer') => { username: string; password: string };
  sql: <Row>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** A part of the application, for what otherwise happens by the clock. */
  part: <T>(type: Type<T>) => T;
  /** Closes the application and keeps its database; `start` begins anew on the same one. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  close: () => Promise<void>;
}

/** The whole backend on a database of its own, listening on a free port; `stop`, change `config`, `start`: other settings. */
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
  await onServer(server, `CREATE DATABASE ${name}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'trawl-backend-'));
  const config: Config = {
    port: 0,
    host: '127.0.0.1',
    dataDir,
    publicUrl: 'http://localhost',
    postgresUrl,
    mongodbUri: needed('TRAWL_TEST_MONGODB_URI'),
    secret: 'a secret for tests that is long enough',
    corsOrigins: [],
    trustedProxies: [],
    smtpUrl: undefined,
    contactEmail: undefined,
    siteEmail: 'info@localhost',
    logLevel: 'silent',
    supervised: false,
    quotas: QUOTAS,
    auditDays: 365,
    historyDays: 0,
    npmRegistry: undefined,
    websiteDir: join(dataDir, 'website'),
    panelDir: join(dataDir, 'panel'),
    ...settings,
  };
  let app = await createApp(config, logger);
  await app.listen(0, '127.0.0.1');
  const urlOf = async () => (await app.getUrl()).replace('[::1]', '127.0.0.1');
  let url = await urlOf();
  const pool = new Pool({ connectionString: postgresUrl, max: 2 });
  // Closing is a message to PostgreSQL, which may drop the database before it has read it.
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
      const isJson = response.headers.get('content-type')?.includes('json');
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
    part: type => app.get(type, { strict: false }),
    stop: () => app.close(),
    start: async () => {
      app = await createApp(config, logger);
      await app.listen(0, '127.0.0.1');
      url = await urlOf();
    },
    close: async () => {
      await app.close();
      await pool.end();
      await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** Texts and bytes as they are, anything else as JSON. */
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
