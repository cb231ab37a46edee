// @ts-check
// `npm run samples -w @trawl/website [-- NAME…]` runs the skript of each offer on its synthetic source
// (website/samples/<NAME>) and writes the stored rows to static/samples/NAME-synthetic.{json,csv} for download.
// With --check it writes nothing and lists the samples that differ.
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { deserialize, NumberUtils, serialize } from 'bson';
import { stringify } from 'csv-stringify/sync';
import sirv from 'sirv';

const WEBSITE = resolve(import.meta.dirname, '..');
const SAMPLES = join(WEBSITE, 'samples');
const OUT = join(WEBSITE, 'static/samples');
const require = createRequire(import.meta.url);

/** @typedef {Record<string, string | number | boolean | null>} Row */

/**
 * Returns the rows that a sample's skript stores. The skript reads the folder `source` from a local server instead of
 * the `base_url` of its `input.json`; its rows get the original URL back.
 * @param {string} name
 * @returns {Promise<Row[]>}
 */
async function rowsOf(name) {
  const folder = join(SAMPLES, name);
  const input = JSON.parse(readFileSync(join(folder, 'input.json'), 'utf8'));
  const files = sirv(join(folder, 'source'), { dev: true });
  const server = createServer((request, response) =>
    files(request, response, () => void response.writeHead(404).end()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const local = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  /** @type {Map<unknown, Row>} */
  const rows = new Map();
  Object.assign(globalThis, {
    trawl: { eventEmitter: new EventEmitter() },
    [Symbol.for('trawl.storage')]: storageInto(rows),
  });
  try {
    await require(join(folder, 'main.js'))({ ...input, base_url: local }, {});
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const text = JSON.stringify([...rows.values()]).replaceAll(local, input.base_url);
  return JSON.parse(text);
}

/**
 * Creates a storage with the two operations that samples use: insertMany, and replaceOne with upsert.
 * @param {Map<unknown, Row>} rows
 */
const storageInto =
  rows =>
  /** @param {{ collection: string, method: string, args: Uint8Array }} call */
  async ({ collection, method, args }) => {
    const { docs, filter, replacement, upsert } = deserialize(args);
    if (method === 'insertMany') {
      let inserted_count = 0;
      // The documents follow one another, and each begins with its size.
      for (let from = 0; from < docs.buffer.length; inserted_count++) {
        const to = from + NumberUtils.getInt32LE(docs.buffer, from);
        const { _id, ...row } = deserialize(docs.buffer.subarray(from, to));
        rows.set(String(_id), row);
        from = to;
      }
      return { result: serialize({ inserted_count }) };
    }
    if (method === 'replaceOne' && upsert) {
      rows.set(JSON.stringify(filter), replacement);
      return { result: serialize({ matched_count: 0, modified_count: 0, upserted_count: 1, upserted_id: null }) };
    }
    throw new Error(`${collection}.${method}: samples can only use insertMany, and replaceOne with upsert.`);
  };

const args = process.argv.slice(2);
const check = args.includes('--check');
const named = args.filter(arg => arg !== '--check');
const names =
  named.length > 0 ? named : readdirSync(SAMPLES).filter(name => existsSync(join(SAMPLES, name, 'input.json')));
mkdirSync(OUT, { recursive: true });
let stale = 0;
for (const name of names) {
  const rows = await rowsOf(name);
  const contents = {
    json: `${JSON.stringify(rows, null, 2)}\n`,
    csv: stringify(rows, { header: true, cast: { boolean: String } }),
  };
  const changed = Object.entries(contents).filter(([ending, content]) => {
    const file = join(OUT, `${name}-synthetic.${ending}`);
    if (existsSync(file) && readFileSync(file, 'utf8') === content) return false;
    if (!check) writeFileSync(file, content);
    return true;
  });
  stale += changed.length;
  if (check && changed.length > 0) {
    console.error(`${name}: its files in static/samples differ; run npm run samples -w @trawl/website -- ${name}`);
  } else console.log(`${name}: ${rows.length} rows, ${changed.length === 0 ? 'unchanged' : 'written'}`);
}
process.exitCode = check && stale > 0 ? 1 : 0;
