// @ts-check
// Starts the peers, each with two functions that are called over HTTP: `echo` returns its input, `log` also writes 100
// lines to the log.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { withPackages } from '../packages.mjs';
import { freePort, makeDataDir } from '../platform.mjs';
import { startProcess } from '../servers.mjs';

export const JOBS = /** @type {const} */ (['echo', 'log']);
/** @typedef {(typeof JOBS)[number]} Job */

/**
 * @typedef {object} Call an HTTP call that runs a function
 * @property {string} url
 * @property {Record<string, string>} headers
 * @property {object} body
 * @property {(answer: any) => unknown} outputOf what the function returned
 */

/**
 * @typedef {object} Peer
 * @property {string} name with its version
 * @property {string} folder of its packages
 * @property {(job: Job, input: object) => Call} call
 * @property {() => Promise<{ pid: number, stop: () => Promise<void> }>} start resolves when the process says that it is ready
 */

/** Prepares n8n with PostgreSQL, which its documentation recommends for production. @param {string} postgresUrl @param {(() => unknown)[]} stops @returns {Promise<Peer>} */
export async function n8n(postgresUrl, stops) {
  const folder = await withPackages('peers/n8n');
  const { dataDir, port } = await placeOf(stops);
  const database = new URL(postgresUrl);
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query('CREATE DATABASE n8n');
  await client.end();
  const env = {
    N8N_USER_FOLDER: dataDir,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(await freePort()),
    N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: database.hostname,
    DB_POSTGRESDB_PORT: database.port,
    DB_POSTGRESDB_DATABASE: 'n8n',
    DB_POSTGRESDB_USER: database.username,
    DB_POSTGRESDB_PASSWORD: database.password,
    // Without this setting, the lines that a function logs are dropped.
    CODE_ENABLE_STDOUT: 'true',
    // These would call servers on the internet.
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
  };
  const program = join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
  const file = join(dataDir, 'workflows.json');
  writeFileSync(file, JSON.stringify(JOBS.map(workflow)));
  /** @param {string[]} args */
  const command = args =>
    promisify(execFile)(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH, HOME: dataDir, ...env },
    });
  await command(['import:workflow', `--input=${file}`]);
  for (const job of JOBS) await command(['publish:workflow', `--id=${job}`]);
  return {
    name: `n8n ${versionOf(folder, 'n8n')}`,
    folder,
    call: (job, input) => ({ ...callOf(`http://127.0.0.1:${port}/webhook/${job}`, input), outputOf: answer => answer }),
    start: () => started(program, ['start'], { ...env, HOME: dataDir }, /Editor is now accessible/),
  };
}

/** @param {Job} job */
function workflow(job) {
  const node = { typeVersion: 2, position: [0, 0] };
  const code = `${job === 'log' ? LOG_LINES('console.log') : ''}return [{ json: $input.first().json.body }];`;
  return {
    id: job,
    name: job,
    active: false,
    settings: {},
    nodes: [
      {
        ...node,
        id: `${job}-webhook`,
        name: 'Webhook',
        type: 'n8n-nodes-base.webhook',
        webhookId: job,
        parameters: { path: job, httpMethod: 'POST', responseMode: 'lastNode', options: {} },
      },
      { ...node, id: `${job}-code`, name: 'Code', type: 'n8n-nodes-base.code', parameters: { jsCode: code } },
    ],
    connections: { Webhook: { main: [[{ node: 'Code', type: 'main', index: 0 }]] } },
  };
}

/** @param {(() => unknown)[]} stops @returns {Promise<Peer>} */
export async function nodeRed(stops) {
  const folder = await withPackages('peers/node-red');
  const { dataDir, port } = await placeOf(stops);
  const settings = { flowFile: 'flows.json', uiHost: '127.0.0.1', credentialSecret: randomBytes(24).toString('hex') };
  writeFileSync(join(dataDir, 'settings.js'), `module.exports = ${JSON.stringify(settings)};\n`);
  writeFileSync(join(dataDir, 'flows.json'), JSON.stringify(JOBS.flatMap(flow)));
  const program = join(folder, 'node_modules', 'node-red', 'red.js');
  return {
    name: `Node-RED ${versionOf(folder, 'node-red')}`,
    folder,
    call: (job, input) => ({ ...callOf(`http://127.0.0.1:${port}/${job}`, input), outputOf: answer => answer }),
    start: () => started(program, ['--userDir', dataDir, '--port', String(port)], {}, /Started flows/),
  };
}

/** @param {Job} job */
function flow(job) {
  const func = `${job === 'log' ? LOG_LINES('node.log') : ''}return msg;`;
  return [
    { id: job, type: 'tab', label: job },
    { id: `${job}-in`, type: 'http in', z: job, url: `/${job}`, method: 'post', wires: [[`${job}-function`]] },
    { id: `${job}-function`, type: 'function', z: job, func, outputs: 1, wires: [[`${job}-out`]] },
    { id: `${job}-out`, type: 'http response', z: job, wires: [] },
  ];
}

/** @param {string} postgresUrl @param {(() => unknown)[]} stops @returns {Promise<Peer>} */
export async function parseServer(postgresUrl, stops) {
  const folder = await withPackages('parse-server');
  const { dataDir, port } = await placeOf(stops);
  const env = {
    DATABASE_URI: postgresUrl,
    APP_ID: 'bench',
    MASTER_KEY: randomBytes(16).toString('hex'),
    PORT: String(port),
    PARSE_SERVER_LOGS_FOLDER: join(dataDir, 'logs'),
  };
  return {
    name: `Parse Server ${versionOf(folder, 'parse-server')}`,
    folder,
    call: (job, input) => ({
      ...callOf(`http://127.0.0.1:${port}/parse/functions/${job}`, input, { 'x-parse-application-id': env.APP_ID }),
      outputOf: answer => answer.result,
    }),
    start: () => started(join(folder, 'functions.mjs'), [], env, /^port/),
  };
}

/** @param {string} log function that logs a line */
const LOG_LINES = log => `for (let n = 0; n < 100; n++) ${log}(\`line \${n}\`);\n`;

/** @param {(() => unknown)[]} stops */
async function placeOf(stops) {
  const { dataDir, remove } = makeDataDir();
  stops.push(remove);
  return { dataDir, port: await freePort() };
}

/** @param {string} url @param {object} body @param {Record<string, string>} [headers] */
const callOf = (url, body, headers = {}) => ({
  url,
  body,
  headers: { 'content-type': 'application/json', ...headers },
});

/** @param {string} folder @param {string} name @returns {string} */
const versionOf = (folder, name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;

/** @param {string} file @param {string[]} args @param {Record<string, string>} env @param {RegExp} ready */
async function started(file, args, env, ready) {
  /** @type {(() => unknown)[]} */
  const stops = [];
  const { pid } = await startProcess(file, args, env, stops, ready);
  return {
    pid,
    stop: async () => {
      for (const stop of stops) await stop();
    },
  };
}
