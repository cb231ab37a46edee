import { randomBytes, randomUUID } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { type KeyScope, QUOTA_NAMES, type SandboxLevel } from '@trawl/contracts';
import mongoose, { type mongo } from 'mongoose';
import { SessionTokens } from '../src/platform/auth/session-tokens.service.js';
import { signingKey } from '../src/platform/auth/tokens/token-keys.js';
import { SecretBox } from '../src/platform/common/secret-box.service.js';
import { DocumentedApi } from './documented-api.js';
import { makeProxy } from './rows/make-proxy.js';
import { makeQueue } from './rows/make-queue.js';
import { type Api, startTestApp, type TestApp } from './test-app.js';
import { TestWorker } from './test-worker.js';
import { until } from './until.js';

/** Returns a unique name. */
export const unique = (): string => `n${randomBytes(6).toString('hex')}`;

/**
 * Quotas that are higher than tests need. They are not unlimited, so that the platform locks and counts as for ordinary
 * accounts.
 */
const AMPLE = Object.fromEntries(QUOTA_NAMES.map(name => [name, 1_000_000_000]));

/** Small, so that tests can exceed it. */
const IMPORT_BYTES = 1024 * 1024;

let addresses = 0;
/** Returns headers with a unique client address, so that calls do not share rate limits. */
export const fromElsewhere = (): Record<string, string> => ({
  'x-forwarded-for': `2001:db8:${(++addresses >> 16).toString(16)}:${(addresses & 0xffff).toString(16)}::1`,
});

/** Ids of a user's resources. The keys are the names of the ids in openapi.yaml: `skript_id`, `db_id`, `doc_id`, … */
export type Things = Record<string, string>;

/** A user with an account. */
export interface Person {
  id: string;
  username: string;
  password: string;
  /**
   * This text is in every text of this user's resources. If a response to another user contains it, data has leaked.
   */
  marker: string;
  things: Things;
  /** Calls the API as this user. Each response is checked against openapi.yaml. */
  api: Api;
  /** Returns the token of a new session. */
  token: () => Promise<string>;
  /** Creates a resource with a POST and returns it. @throws Error when the call fails. */
  created: (path: string, body: object) => Promise<any>;
  /** Like `created`, but returns the id. */
  create: (path: string, body: object) => Promise<string>;
  /** Creates an API key and returns its id and the key. */
  makeKey: (scope: KeyScope) => Promise<{ id: string; key: string }>;
  /** Creates a skript with a `main.js`, or without one if `mainJs` is null. Returns its id. */
  makeSkript: (skript?: { mainJs?: string | null; environment?: string }) => Promise<string>;
  /** Creates a document, by default in the user's own collection. Returns its `_id`. */
  makeDocument: (fields?: object, collection?: string) => Promise<string>;
}

export interface WorldWorker {
  id: string;
}

/**
 * A platform with everything that a call may need. There are two developers: `owner`, whose resources the calls use,
 * and `other`. Each has one of every resource. There are also an administrator and two public workers. The developers'
 * accounts are ordinary: they have quotas, and their runs need workers with the full sandbox. The administrator is the
 * account from the platform's first start.
 */
export interface World {
  app: TestApp;
  documented: DocumentedApi;
  owner: Person;
  other: Person;
  admin: Person;
  /** Calls the API without a token. Each response is checked against openapi.yaml. */
  anonymous: Api;
  /** Ends each run at once. */
  worker: WorldWorker;
  /** This worker ends a run only when it gets a stop command. */
  idleWorker: WorldWorker;
  /** Returns a token of the person; it expired an hour ago. */
  expiredToken: (person: Person) => Promise<string>;
  /**
   * Returns texts that change when the content of the databases changes. They leave out data that even a refused call
   * may change, such as leases and times of last use.
   */
  state: () => Promise<Record<string, string>>;
  close: () => Promise<void>;
}

export async function makeWorld(): Promise<World> {
  const [app, documented] = await Promise.all([
    // Trust a client address that the test sends, because rate limits count by address.
    startTestApp({ settings: { trustedProxies: ['127.0.0.1', '::1'], importBytes: IMPORT_BYTES } }),
    DocumentedApi.read(),
  ]);
  const mongoConnection = await mongoose.createConnection(app.config.mongodbUri).asPromise();
  const mongoClient = mongoConnection.getClient();
  const admin = await person(app, documented, mongoClient, app.credentials('admin'));
  const ordinary = async () => {
    const signIn = { username: `${unique()}@example.com`, password: `password ${unique()}` };
    await admin.created('/joint-api/users/addnew', { ...signIn, quotas: AMPLE });
    return person(app, documented, mongoClient, signIn);
  };
  const [owner, other] = await Promise.all([ordinary(), ordinary()]);
  const workers = await Promise.all([playWorker(app, admin, 'end'), playWorker(app, admin, 'wait')]);
  for (const somebody of [owner, other, admin]) somebody.things = await makeThings(somebody, app, workers[0]);
  return {
    app,
    documented,
    owner,
    other,
    admin,
    anonymous: documented.checked(app.anonymous),
    worker: workers[0],
    idleWorker: workers[1],
    expiredToken: async ({ token }) => {
      const { iat, exp, ...claims } = app.part(JwtService).decode(await token());
      const anHourAgo = Math.floor(Date.now() / 1000) - 3600;
      const secret = signingKey(app.part(SecretBox));
      return app.part(JwtService).sign({ ...claims, iat: anHourAgo - 60, exp: anHourAgo }, { secret });
    },
    state: () => stateOf(app, mongoClient),
    close: async () => {
      for (const worker of workers) worker.leave();
      await mongoConnection.close();
      await app.close();
    },
  };
}

async function person(
  app: TestApp,
  documented: DocumentedApi,
  client: mongo.MongoClient,
  { username, password }: { username: string; password: string },
): Promise<Person> {
  const read = async () => {
    const [row] = await app.sql<{ id: string; password_hash: string }>(
      'SELECT id, password_hash FROM users WHERE username = $1',
      [username],
    );
    if (!row) throw new Error(`There is no user ${username}.`);
    return row;
  };
  const user = await read();
  const token = async () => (await app.part(SessionTokens).open(user.id, (await read()).password_hash)) as string;
  const marker = `marker${unique()}`;
  let session = documented.checked(app.bearer(await token()));
  const usual: Api = async (...call) => {
    const answer = await session(...call);
    if (answer.status !== 401) return answer;
    // Another call has ended this session, so open a new one.
    session = documented.checked(app.bearer(await token()));
    return session(...call);
  };
  const self: Person = {
    id: user.id,
    username,
    password,
    marker,
    things: {},
    api: usual,
    token,
    created: async (path, body) => {
      const answer = await usual('POST', path, body);
      if (answer.status < 400) return answer.body;
      throw new Error(`POST ${path} failed: ${answer.status} ${JSON.stringify(answer.body)}`);
    },
    create: async (path, body) => (await self.created(path, body)).id,
    makeKey: scope => self.created('/joint-api/keys/addnew', { name: unique(), scope }),
    makeSkript: async ({ mainJs = 'module.exports = async input => input;\n', environment = 'nodejs' } = {}) => {
      const id = await self.create('/joint-api/skripts/addnew', { title: `${marker} ${unique()}`, environment });
      if (mainJs !== null) {
        const file = { skript_id: id, name: 'main.js', content: mainJs };
        await self.create('/joint-api/skript-files/addnew', file);
      }
      return id;
    },
    makeDocument: async (fields = {}, collection = String(self.things.collection)) => {
      const _id = `doc-${unique()}`;
      const db = await databaseOf(app, client, String(self.things.db_id));
      const document = { _id, title: marker, price: null, ...fields };
      await db.collection<{ _id: string }>(collection).insertOne(document);
      return _id;
    },
  };
  return self;
}

/** Creates one of every resource. For each new kind, add a line with the name of its id in openapi.yaml. */
async function makeThings(
  { marker, api, create, created, makeSkript, makeDocument, id: userId, things, token }: Person,
  app: TestApp,
  worker: WorldWorker & { chunk: TestWorker['chunk'] },
): Promise<Things> {
  const skript_id = await makeSkript({ mainJs: `module.exports = async () => '${marker}';\n` });
  await api('PUT', `/joint-api/skripts/${skript_id}`, { description: marker });
  const part = (kind: string, fields: object) => create(`/joint-api/${kind}/addnew`, { skript_id, ...fields });
  const execution = await created('/joint-api/execute-skript/single-worker/start', {
    worker_id: worker.id,
    skript_id,
    input: { marker },
  });
  await worker.chunk(execution.id, 1, 1, [marker]);
  const db_id = randomUUID();
  await app.sql(`INSERT INTO mongo_databases (id, owner_id, name, db_name) VALUES ($1, $2, $3, $4)`, [
    db_id,
    userId,
    marker,
    `u_${db_id.replaceAll('-', '')}`,
  ]);
  Object.assign(things, { db_id, collection: `books_${unique()}` });
  const doc_id = await makeDocument();
  const export_id = await create('/joint-api/exports/addnew', { db_id, collection: things.collection });
  await until(
    async () => (await api('GET', `/joint-api/exports/${export_id}`)).body.state,
    state => state === 'done',
  );
  return {
    skript_id,
    skriptFile_id: await part('skript-files', { name: 'lib/marked.js', content: `// ${marker}\n` }),
    input_id: await part('inputs', { name: 'input.json', val: marker }),
    siteSession_id: await create('/joint-api/sessions/import', {
      name: marker,
      origins: [`https://${marker}.example`],
      content: JSON.stringify([{ name: marker, value: marker, domain: `${marker}.example` }]),
    }),
    inputSecret_id: await part('input-secrets', { name: 'inputSecret.json', val: marker }),
    execution_id: execution.id,
    skriptExecution_id: execution.id,
    key_id: await create('/joint-api/keys/addnew', { name: marker, scope: 'read' }),
    user_id: userId,
    session_id: await newSession(app, token),
    ...things,
    doc_id,
    export_id,
    exporter_id: await create('/joint-api/exporters/addnew', { name: marker, db_id, collection: things.collection }),
    import_id: await importBadRow(api, db_id, marker),
    issue_id: await makeIssue(app, userId, skript_id, { marker, run: execution.id }),
    table: await makeTable(created, marker),
    worker_id: worker.id,
    ...(await makeWebhook(app, userId, marker, create)),
    queue_id: await makeQueue(app, userId, marker),
    ...(await makeProxy(api, marker)),
    schedule_id: await create('/joint-api/schedules/addnew', {
      name: marker,
      cron_span: '0 0 1 1 *',
      worker_id: worker.id,
      skript_id,
    }),
  };
}

/** Adds an issue as if the run had failed, and returns its id. */
async function makeIssue(
  app: TestApp,
  userId: string,
  skriptId: string,
  { marker, run }: { marker: string; run: string },
): Promise<string> {
  const [issue] = await app.sql<{ id: string }>(
    `INSERT INTO issues (id, owner_id, skript_id, skript_name, fingerprint, error_code, message, runs, first_run_id,
       last_run_id, first_seen_at, last_seen_at)
     VALUES (gen_random_uuid(), $1, $2, $3, '', 'exception', $3, 1, $4, $4, now(), now()) RETURNING id`,
    [userId, skriptId, marker, run],
  );
  return String(issue?.id);
}

/** Imports a good and a bad row, and returns the id of the import. */
async function importBadRow(api: Api, db_id: string, marker: string): Promise<string> {
  const file = Buffer.from(`a,b\n1,2\n${marker},2,3\n`);
  const headers = { 'content-type': 'text/csv' };
  const { id } = (await api('POST', `/joint-api/imports/upload?file_name=${marker}.csv`, file, headers)).body;
  await api('POST', `/joint-api/imports/${id}/start`, { db_id, collection: marker, skip_bad_rows: true });
  await until(
    async () => (await api('GET', `/joint-api/imports/${id}`)).body.state,
    state => state === 'done',
  );
  return id;
}

/** Creates a webhook with a delivery. Its receiver never resolves, and its events never happen. */
async function makeWebhook(app: TestApp, ownerId: string, marker: string, create: Person['create']): Promise<Things> {
  const body = { name: marker, url: `https://receiver.invalid/${marker}`, events: ['worker.lost'] };
  const webhook_id = await create('/joint-api/webhooks/addnew', body);
  const delivery_id = randomUUID();
  await app.sql(
    `INSERT INTO webhook_deliveries (id, webhook_id, owner_id, event, payload, state, next_attempt_at)
     VALUES ($1, $2, $3, 'worker.lost', $4, 'failed', NULL)`,
    [delivery_id, webhook_id, ownerId, JSON.stringify({ type: 'worker.lost', data: { marker } })],
  );
  return { webhook_id, delivery_id };
}

/** Creates a table in the user's PostgreSQL database and returns its name. */
async function makeTable(created: Person['created'], marker: string): Promise<string> {
  const table = `books_${unique()}`;
  const sql = `CREATE TABLE ${table} AS SELECT 1 AS id, '${marker}' AS title`;
  await created('/joint-api/postgres/query', { sql, read_only: false });
  return table;
}

/** Opens a new session and returns its id. */
export async function newSession(app: TestApp, token: Person['token']): Promise<string> {
  return app.part(JwtService).decode(await token()).sid;
}

async function databaseOf(app: TestApp, client: mongo.MongoClient, dbId: string): Promise<mongo.Db> {
  const [row] = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases WHERE id = $1', [dbId]);
  return client.db(String(row?.db_name));
}

/**
 * Connects a public worker. With `end`, it ends each run at once and returns the input as output. With `wait`, it ends
 * a run only when it gets a stop command.
 */
async function playWorker(app: TestApp, admin: Person, runs: 'end' | 'wait') {
  const { id, key } = await admin.created('/joint-api/workers/addnew', { name: unique(), public: true });
  const sandbox: SandboxLevel = 'full';
  const worker = await TestWorker.connect(app, key, { slots: 1024, sandbox });
  const { epoch } = worker.welcome;
  worker.socket.on('offer', offer => {
    if (runs === 'end') void worker.finish(offer.id, { output: offer.input });
  });
  worker.socket.on('control', ({ id: run, cmd }) => {
    if (cmd === 'stop') void worker.finish(run, { action: 'stop', output: null });
  });
  let n = 0;
  const beat = () => worker.socket.emit('beat', { epoch, n: ++n, free: 1000, load: 0 }, () => {});
  const beats = setInterval(beat, 3_000);
  return {
    id: id as string,
    chunk: worker.chunk.bind(worker),
    leave: () => {
      clearInterval(beats);
      worker.close();
    },
  };
}

/** Tables and columns that change without a call, or with every call. */
const UNSTEADY_TABLES = [
  'audit_log',
  'backends',
  'daily_saved_bytes',
  'jobs',
  'login_addresses',
  'notices',
  'storage_usage',
  'sweep_turns',
  'worker_leases',
  'worker_samples',
  'webhook_deliveries',
];
const UNSTEADY_COLUMNS: Record<string, string[]> = {
  api_keys: ['last_used_at'],
  postgres_databases: ['bytes'],
  webhook_endpoints: ['failing_since', 'failures'],
};

async function stateOf(app: TestApp, client: mongo.MongoClient): Promise<Record<string, string>> {
  // Exports and imports of earlier calls may still run.
  await until(
    () => app.sql('SELECT 1 FROM jobs WHERE ended_at IS NULL AND owner_id IS NOT NULL'),
    open => open.length === 0,
  );
  const tables = await app.sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
       AND relname <> ALL ($1)`,
    [UNSTEADY_TABLES],
  );
  const digests = tables.map(({ name }) => {
    const unsteady = UNSTEADY_COLUMNS[name];
    const row = unsteady ? `(to_jsonb(r) - ARRAY['${unsteady.join("', '")}'])::text` : 'r::text';
    return `SELECT '${name}' AS name, md5(coalesce(string_agg(${row}, '|' ORDER BY ${row}), '')) AS digest FROM "${name}" r`;
  });
  const rows = await app.sql<{ name: string; digest: string }>(digests.join(' UNION ALL '));
  const state = Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
  const databases = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases');
  // MongoDB lists only databases that have collections. Those of most accounts have none.
  const listed = await client.db().admin().listDatabases({ nameOnly: true });
  const names = new Set(listed.databases.map(({ name }) => name));
  for (const { db_name } of databases) {
    if (!names.has(db_name)) continue;
    const db = client.db(db_name);
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const collection = db.collection(name);
      const [documents, indexes] = await Promise.all([collection.find().toArray(), collection.indexes()]);
      state[`${db_name}.${name}`] = JSON.stringify([documents, indexes]);
    }
  }
  return state;
}
