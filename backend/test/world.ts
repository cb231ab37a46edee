import { randomBytes, randomUUID } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { type KeyScope, QUOTA_NAMES, type SandboxLevel } from '@trawl/contracts';
import mongoose, { type mongo } from 'mongoose';
import { SessionsService, tokenKey } from '../src/auth/sessions.service.js';
import { DocumentedApi } from './documented-api.js';
import { type Api, startTestApp, type TestApp } from './test-app.js';
import { TestWorker } from './test-worker.js';

/** A name that nothing else has. */
export const unique = (): string => `n${randomBytes(6).toString('hex')}`;

/** More than the tests use, and still limits: unlike the accounts of the first start, these are locked and counted. */
const AMPLE = Object.fromEntries(QUOTA_NAMES.map(name => [name, 1_000_000_000]));

let addresses = 0;
/** Headers with an address that no other call comes from, so that it uses up nothing of what another one may do. */
export const fromElsewhere = (): Record<string, string> => ({
  'x-forwarded-for': `2001:db8:${(++addresses >> 16).toString(16)}:${(addresses & 0xffff).toString(16)}::1`,
});

/** What somebody has, by the names that openapi.yaml gives the ids: `skript_id`, `db_id`, `doc_id`, … */
export type Things = Record<string, string>;

/** Somebody with an account. */
export interface Person {
  id: string;
  username: string;
  password: string;
  /** Is in everything of theirs that holds a text, and so must be in no answer to anybody else. */
  marker: string;
  things: Things;
  /** Their calls, each answer held to openapi.yaml. */
  api: Api;
  /** A token of a new session. */
  token: () => Promise<string>;
  /** What a POST made. @throws Error when it made nothing. */
  created: (path: string, body: object) => Promise<any>;
  /** The id of that. */
  create: (path: string, body: object) => Promise<string>;
  /** A new API key: its id and the key itself. */
  makeKey: (scope: KeyScope) => Promise<{ id: string; key: string }>;
  /** The id of a new skript with a `main.js`, unless that is null. */
  makeSkript: (skript?: { mainJs?: string | null; environment?: string }) => Promise<string>;
  /** The `_id` of a new document, by default in the collection that they have. */
  makeDocument: (fields?: object, collection?: string) => Promise<string>;
}

export interface WorldWorker {
  id: string;
}

/**
 * A platform with everything in it that a call may need: two developers (`owner`, whose things are called for, and `other`)
 * who each have one of everything, an administrator, and two public workers. The developers have ordinary accounts, with
 * quotas and with runs on workers with the full sandbox only; the administrator is the one of the first start.
 */
export interface World {
  app: TestApp;
  documented: DocumentedApi;
  owner: Person;
  other: Person;
  admin: Person;
  /** Calls without a token, each answer held to openapi.yaml. */
  anonymous: Api;
  /** Ends each run at once. */
  worker: WorldWorker;
  /** Ends a run only when it is told to stop. */
  idleWorker: WorldWorker;
  /** A token of a person that stopped being one an hour ago. */
  expiredToken: (person: Person) => Promise<string>;
  /** All that the databases hold, but for what a refused call may change: leases, times of last use. */
  state: () => Promise<Record<string, string>>;
  close: () => Promise<void>;
}

export async function makeWorld(): Promise<World> {
  const [app, documented] = await Promise.all([
    // So that a test may come from whichever address it likes: rate limits count by it.
    startTestApp({ settings: { trustedProxies: ['127.0.0.1', '::1'] } }),
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
      return app
        .part(JwtService)
        .sign({ ...claims, iat: anHourAgo - 60, exp: anHourAgo }, { secret: tokenKey(app.config) });
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
  const token = async () => (await app.part(SessionsService).open(user.id, (await read()).password_hash)) as string;
  const marker = `marker${unique()}`;
  let session = documented.checked(app.bearer(await token()));
  const usual: Api = async (...call) => {
    const answer = await session(...call);
    if (answer.status !== 401) return answer;
    // A call in another session has ended this one.
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
      throw new Error(`POST ${path} made nothing: ${answer.status} ${JSON.stringify(answer.body)}`);
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

/** One of everything. A new kind of thing has its line here, by the name that its id has in openapi.yaml. */
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
  return {
    skript_id,
    skriptFile_id: await part('skript-files', { name: 'lib/marked.js', content: `// ${marker}\n` }),
    input_id: await part('inputs', { name: 'input.json', val: marker }),
    inputSecret_id: await part('input-secrets', { name: 'inputSecret.json', val: marker }),
    execution_id: execution.id,
    skriptExecution_id: execution.id,
    key_id: await create('/joint-api/keys/addnew', { name: marker, scope: 'read' }),
    user_id: userId,
    session_id: await newSession(app, token),
    ...things,
    doc_id: await makeDocument(),
    worker_id: worker.id,
    schedule_id: await create('/joint-api/schedules/addnew', {
      name: marker,
      cron_span: '0 0 1 1 *',
      worker_id: worker.id,
      skript_id,
    }),
  };
}

/** The id of a new session of whoever `token` signs in. */
export async function newSession(app: TestApp, token: Person['token']): Promise<string> {
  return app.part(JwtService).decode(await token()).sid;
}

async function databaseOf(app: TestApp, client: mongo.MongoClient, dbId: string): Promise<mongo.Db> {
  const [row] = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases WHERE id = $1', [dbId]);
  return client.db(String(row?.db_name));
}

/** A connected public worker that ends each run at once with its input as output, or waits to be told to stop. */
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

/** Change without a call, or with every one. */
const UNSTEADY_TABLES = ['audit_log', 'login_addresses', 'storage_usage', 'worker_leases', 'mongo_drops'];
const UNSTEADY_COLUMNS: Record<string, string> = { api_keys: 'last_used_at' };

async function stateOf(app: TestApp, client: mongo.MongoClient): Promise<Record<string, string>> {
  const tables = await app.sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
       AND relname <> ALL ($1)`,
    [UNSTEADY_TABLES],
  );
  const digests = tables.map(({ name }) => {
    const unsteady = UNSTEADY_COLUMNS[name];
    const row = unsteady ? `(to_jsonb(r) - '${unsteady}')::text` : 'r::text';
    return `SELECT '${name}' AS name, md5(coalesce(string_agg(${row}, '|' ORDER BY ${row}), '')) AS digest FROM "${name}" r`;
  });
  const rows = await app.sql<{ name: string; digest: string }>(digests.join(' UNION ALL '));
  const state = Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
  for (const { db_name } of await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases')) {
    const db = client.db(db_name);
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const collection = db.collection(name);
      const [documents, indexes] = await Promise.all([collection.find().toArray(), collection.indexes()]);
      state[`${db_name}.${name}`] = JSON.stringify([documents, indexes]);
    }
  }
  return state;
}
