// @ts-check
// One of the two versions that are compared: its backend, databases and worker, and the skripts that are measured.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { floodOf } from '../echoes/flood.mjs';
import { apiOf, makeDataDir } from '../platform.mjs';
import { storeAndRead } from '../storage/store-and-read.mjs';

const SKRIPTS = 10_000;
const DOCUMENTS = 50_000;
const PER_BATCH = 500;
export const ECHOES = 200_000;

/** @param {string} name of a file of the crawl benchmark */
const ofCrawl = name => readFileSync(fileURLToPath(new URL(`../crawl/${name}`, import.meta.url)), 'utf8');

/** Files of the skripts, by title. @type {Record<string, { files: Record<string, string>, warm?: boolean }>} */
const MEASURED = {
  fresh: { files: { 'main.js': 'module.exports = input => input;\n' } },
  warm: { files: { 'main.js': 'module.exports = input => input;\n' }, warm: true },
  echo: { files: { 'main.js': "module.exports = input => console.log('page', input);\n" }, warm: true },
  flood: { files: { 'main.js': floodOf(ECHOES) } },
  store: {
    files: {
      'main.js': `const { mongo } = require('@trawl/storage');
${storeAndRead}
module.exports = async () => {
  const rows = mongo.collection('rows');
  await rows.deleteMany({});
  return storeAndRead(rows, ${DOCUMENTS}, ${PER_BATCH});
};`,
    },
  },
  crawl: { files: { 'main.js': ofCrawl('skript.cjs'), 'crawl.cjs': ofCrawl('crawl.cjs') } },
};

/** @typedef {Awaited<ReturnType<typeof startSide>>} Side */

/**
 * Starts a version with a database of 10,000 skripts.
 * @param {string} checkout folder of the version, which is built
 * @param {string} site `host:port` of the pages that are crawled
 */
export async function startSide(checkout, site) {
  /** Each version starts its servers with its own code. @param {string} name */
  const fromCheckout = name => import(pathToFileURL(join(checkout, 'bench', name)).href);
  /** @type {typeof import('../servers.mjs')} */
  const { startTrawl } = await fromCheckout('servers.mjs');
  /** @type {typeof import('../worker.mjs')} */
  const { startWorker } = await fromCheckout('worker.mjs');

  const { trawl, dataDir, ownerId, postgresUrl, stops, stop } = await startTrawl();
  try {
    const worker = makeDataDir();
    stops.push(worker.remove);
    const { call: admin } = await apiOf(trawl.url, dataDir, 'admin');
    const { key } = await admin('POST', '/joint-api/workers/addnew', { name: 'bench', public: true });
    const env = { TRAWL_EGRESS_ALLOW: site };
    stops.push((await startWorker({ url: trawl.url, key, dataDir: worker.dataDir, env })).stop);

    const { call, token } = await apiOf(trawl.url, dataDir, 'developer');
    /** @type {Record<string, string>} */
    const skripts = {};
    for (const [title, { files, warm = false }] of Object.entries(MEASURED)) {
      const { id } = await call('POST', '/joint-api/skripts/addnew', { title, warm });
      for (const [name, content] of Object.entries(files))
        await call('POST', '/joint-api/skript-files/addnew', { skript_id: id, name, content });
      await call('POST', `/joint-api/skripts/${id}/bundle`);
      skripts[title] = id;
    }
    const listed = await addSkripts(postgresUrl, ownerId);
    /** Starts a skript and waits for its end. @param {string} title @param {unknown} [input] */
    const run = async (title, input) => {
      const path = '/joint-api/execute-skript/single-worker/start?wait_ms=180000';
      const body = { worker_id: 'any', skript_id: skripts[title], input };
      const { action, output, error_stack } = await call('POST', path, body);
      if (action !== 'end') throw new Error(`the run of ${title} ended with ${action}: ${error_stack}`);
      return output;
    };
    return { url: trawl.url, headers: trawl.headers, token, call, skripts, listed, run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Adds the skripts of the list that is measured.
 * @param {string} postgresUrl @param {string} ownerId
 * @returns {Promise<string[]>} their ids
 */
async function addSkripts(postgresUrl, ownerId) {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query(
    `INSERT INTO skripts (id, owner_id, title, description, created_at)
     SELECT uuidv7(), $1, 'Skript ' || n, 'What skript ' || n || ' does.', now() - n * interval '1 minute' FROM generate_series(1, $2::int) n RETURNING id`,
    [ownerId, SKRIPTS],
  );
  await client.query('ANALYZE');
  await client.end();
  return rows.map(({ id }) => id);
}
