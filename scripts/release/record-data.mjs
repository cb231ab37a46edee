// @ts-check
// `npm run release:data`: keeps data as this version writes it, so that tests of later versions can upgrade it. Starts a
// new platform, makes a few things of each kind, and backs them up.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEmbedded } from '@trawl/embedded';
import pg from 'pg';
import { fromRoot } from '../common/paths.mjs';
import { explain } from '../common/problem.mjs';
import { startDatabases, startPlatform } from '../start/platform.mjs';
import { freePair } from '../start/ports.mjs';

const RELEASES = 'backend/test/releases';
const FILES = {
  'main.js': `const { echo } = require('@trawl/echo');
const { greet } = require('./greet.js');
const { mongo } = require('@trawl/storage');

module.exports = async ({ name }, { token }) => {
  echo.log(greet(name));
  echo.warn('The token has ' + token.length + ' characters');
  await mongo.collection('greetings').insertOne({ name, at: new Date(), price: 9.5 });
  return { greeted: name };
};
`,
  'greet.js': `exports.greet = name => 'hello ' + name;
`,
};
const TOKEN = 's3cret';

/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
const folder = fromRoot(RELEASES, version);
const requestedDataDir = mkdtempSync(join(tmpdir(), 'trawl-release-'));
/** @type {import('../start/platform.mjs').Stoppable[]} */
const parts = [];

try {
  const secret = randomBytes(32).toString('base64url');
  const platform = await start(secret);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const made = await makeData(platform);
  writeFileSync(join(folder, 'release.json'), `${JSON.stringify({ version, secret, ...made }, null, 2)}\n`);
  writeFileSync(join(folder, 'schema.txt'), await schemaOf(platform.dataDir));
  const backup = ['backup', join(folder, 'backup.zip'), '--without-user-postgres'];
  execFileSync(process.execPath, [fromRoot('backend/dist/operation/admin/trawl-admin.js'), ...backup], {
    env: { ...process.env, TRAWL_DATA_DIR: platform.dataDir, TRAWL_SECRET: secret },
    stdio: 'inherit',
  });
  console.log(`Wrote ${RELEASES}/${version}. Commit it: the tests of later versions upgrade it.`);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
} finally {
  for (const part of parts.toReversed()) await part.stop();
  rmSync(requestedDataDir, { recursive: true, force: true });
}

/** @param {string} secret */
async function start(secret) {
  const port = await freePair();
  const {
    POSTGRES_URL,
    MONGODB_URI,
    USER_POSTGRES_URL,
    REDIS_URL,
    TRAWL_SECRET_PREVIOUS,
    TRAWL_S3_BUCKET,
    ...inherited
  } = process.env;
  const settings = {
    port,
    sitePort: port + 1,
    host: '127.0.0.1',
    requestedDataDir,
    isTemporary: false,
    postgresUrl: undefined,
    mongodbUri: undefined,
    // The skript needs no browser.
    env: { ...inherited, TRAWL_SECRET: secret, CHROME_PATH: '/bin/false' },
  };
  const started = (/** @type {import('../start/platform.mjs').Stoppable} */ part) => void parts.push(part);
  return startPlatform(settings, await startDatabases(settings, started), started);
}

/**
 * Makes a few things of each kind through the API, as a user would. Returns what a test needs to find and use them.
 * @param {import('../start/platform.mjs').Platform} platform
 */
async function makeData({ developer, accounts, dataDir }) {
  if (!developer) throw new Error('The new platform has no developer.');
  const add = (/** @type {string} */ kind, /** @type {object} */ body) =>
    developer.post(`/joint-api/${kind}/addnew`, body);
  const skript_id = (await add('skripts', { title: 'Greetings' })).id;
  for (const [name, content] of Object.entries(FILES)) await add('skript-files', { skript_id, name, content });
  const input_id = (await add('inputs', { skript_id, name: 'input.json', val: { name: 'Ada' } })).id;
  const secretInput = { skript_id, name: 'inputSecret.json', val: { token: TOKEN } };
  const inputSecret_id = (await add('input-secrets', secretInput)).id;
  const start = { worker_id: 'any', skript_id, input_id, inputSecret_id };
  const run = await developer.post('/joint-api/execute-skript/single-worker/start', start);
  if (run.action !== 'end') throw new Error(`The run failed: ${JSON.stringify(run)}`);
  const schedule = { ...start, name: 'Greetings, each New Year', cron_span: '0 0 1 1 *' };
  const webhook = { name: 'Stopped runs', url: 'https://receiver.invalid/hook', events: ['run.stopped'] };
  const db_id = (await developer.get('/joint-api/mongo-databases/list')).items[0].id;
  const { username, password } = /** @type {import('../start/accounts.mjs').Account} */ (
    accounts.find(({ role }) => role === 'developer')
  );
  return {
    account: { username, password },
    api_key: (await add('keys', { name: 'reader', scope: 'read' })).key,
    worker: JSON.parse(readFileSync(join(dataDir, 'worker', 'key.json'), 'utf8')),
    skript_id,
    input_id,
    inputSecret_id,
    input_secret: { token: TOKEN },
    schedule_id: (await add('schedules', schedule)).id,
    execution_id: run.id,
    webhook_id: (await add('webhooks', webhook)).id,
    exporter_id: (await add('exporters', { name: 'Greetings', db_id, collection: 'greetings' })).id,
    db_id,
    echoes: ['hello Ada', `The token has ${TOKEN.length} characters`],
    collection: 'greetings',
    document: { name: 'Ada', price: 9.5 },
  };
}

/** @param {string} dataDir */
async function schemaOf(dataDir) {
  const client = new pg.Client(findEmbedded(dataDir)?.postgresUrl);
  await client.connect();
  try {
    const { rows } = await client.query(readFileSync(fromRoot(RELEASES, 'schema.sql'), 'utf8'));
    return rows.map(({ line }) => `${line}\n`).join('');
  } finally {
    await client.end();
  }
}
