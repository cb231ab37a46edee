// @ts-check
// Series of published versions of npm packages with data: each version is like a run of a skript that stores rows.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { cacheDir } from '@trawl/embedded';

const run = promisify(execFile);
export const VERSIONS = 60;
/** Rows of a version that are read. */
const MAX_ROWS = 3_000;
const PACKS_AT_ONCE = 20;

/** @typedef {Record<string, unknown>} Row */
/** @typedef {{ name: string, versions: { version: string, rows: Row[] }[] }} Series */

/** An object of objects, or of other values, as rows. @param {object} value @returns {Row[]} */
const entries = value =>
  Object.entries(value).map(([key, item]) =>
    item !== null && typeof item === 'object' && !Array.isArray(item) ? { key, ...item } : { key, value: item },
  );

/**
 * The packages, the newest version that is used, and the file with the rows. A version without the file is left out.
 * @type {{ name: string, newest: string, file: string }[]}
 */
const PACKAGES = [
  { name: 'mime-db', newest: '1.54.0', file: 'db.json' },
  { name: 'mdn-data', newest: '2.37.2', file: 'css/properties.json' },
  { name: 'spdx-license-list', newest: '6.12.0', file: 'spdx.json' },
  { name: 'crawler-user-agents', newest: '1.60.0', file: 'crawler-user-agents.json' },
  { name: '@vvo/tzdb', newest: '6.202.0', file: 'raw-time-zones.json' },
  { name: 'moment-timezone', newest: '0.6.6', file: 'data/meta/latest.json' },
  { name: 'dotaconstants', newest: '10.8.0', file: 'build/heroes.json' },
  { name: 'countries-list', newest: '3.4.1', file: 'dist/countries.min.json' },
  { name: 'electron-to-chromium', newest: '1.5.488', file: 'versions.json' },
  { name: 'node-releases', newest: '2.0.65', file: 'data/processed/envs.json' },
  { name: 'known-css-properties', newest: '0.37.0', file: 'data/all.json' },
  { name: 'tlds', newest: '1.261.0', file: 'index.json' },
  { name: 'language-subtag-registry', newest: '0.4.2', file: 'data/json/registry.json' },
  { name: '@fawazahmed0/currency-api', newest: '2026.9.29', file: 'v1/currencies/eur.json' },
  { name: 'top-user-agents', newest: '2.1.138', file: 'src/index.json' },
  { name: 'web-features', newest: '3.40.0', file: 'data.json' },
  { name: 'web-specs', newest: '4.16.0', file: 'index.json' },
  { name: 'caniuse-db', newest: '1.0.30001813', file: 'data.json' },
  { name: 'simple-icons', newest: '16.37.0', file: 'data/simple-icons.json' },
  { name: 'cryptocurrencies', newest: '8.0.1', file: 'cryptocurrencies.json' },
];

/** Fetches all series through npm, once. @returns {Promise<Series[]>} */
export async function allSeries() {
  const all = [];
  for (const one of PACKAGES) all.push(await series(one));
  return all;
}

/** @param {(typeof PACKAGES)[number]} description @returns {Promise<Series>} */
async function series({ name, newest, file }) {
  const folder = join(cacheDir(), 'bench-verdict');
  mkdirSync(folder, { recursive: true });
  const cached = join(folder, `${name.replace('/', '+')}.json.gz`);
  if (existsSync(cached)) return JSON.parse(gunzipSync(readFileSync(cached)).toString());
  console.error(`Fetching ${VERSIONS} versions of ${name} (once)`);
  const { stdout } = await run('npm', ['view', name, 'versions', '--json'], { maxBuffer: 1 << 26 });
  /** @type {string[]} */
  const published = JSON.parse(stdout).filter((/** @type {string} */ version) => /^[\d.]+$/.test(version));
  const last = published.indexOf(newest);
  const wanted = published.slice(Math.max(0, last + 1 - VERSIONS), last + 1);
  const versions = [];
  for (let from = 0; from < wanted.length; from += PACKS_AT_ONCE) {
    versions.push(...(await fetched(name, wanted.slice(from, from + PACKS_AT_ONCE), file)));
  }
  writeFileSync(cached, gzipSync(JSON.stringify({ name, versions })));
  return { name, versions };
}

/** @param {string} name @param {string[]} versions @param {string} file */
async function fetched(name, versions, file) {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-bench-'));
  try {
    const packages = versions.map(version => `${name}@${version}`);
    const { stdout } = await run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...packages],
      {
        maxBuffer: 1 << 28,
      },
    );
    /** @type {{ version: string, filename: string }[]} */
    const packed = JSON.parse(stdout);
    const found = [];
    for (const version of versions) {
      const packedAs = packed
        .find(one => one.version === version)
        ?.filename.replace('@', '')
        .replace('/', '-');
      const archive = readdirSync(folder).find(one => one === packedAs);
      const rows = archive && (await rowsIn(join(folder, archive), file));
      if (rows) found.push({ version, rows });
      else console.error(`${name}@${version} has no ${file}`);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} archive @param {string} file @returns {Promise<Row[] | null>} */
async function rowsIn(archive, file) {
  try {
    const { stdout } = await run('tar', ['-xzOf', archive, `package/${file}`], { maxBuffer: 1 << 28 });
    return rowsOf(JSON.parse(stdout)).slice(0, MAX_ROWS);
  } catch {
    return null;
  }
}

/** Finds the rows in a JSON value: a list, an object of rows, or the largest of those inside. @param {any} value @returns {Row[]} */
function rowsOf(value) {
  if (Array.isArray(value)) {
    return value.map(row => (row !== null && typeof row === 'object' && !Array.isArray(row) ? row : { value: row }));
  }
  const inside = Object.values(value).filter(item => item !== null && typeof item === 'object');
  const isWrapper = Object.keys(value).length < 8 && inside.length > 0;
  if (!isWrapper) return entries(value);
  return inside.map(rowsOf).reduce((most, rows) => (rows.length > most.length ? rows : most), []);
}
