// @ts-check
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fromRoot } from '../common/paths.mjs';
import { ApiError } from './api.mjs';

/**
 * @typedef {object} Sample a sample skript as the platform now has it
 * @property {string} skriptId
 * @property {string} title
 * @property {string} [inputId]
 * @property {string} [inputSecretId]
 */

const SAMPLES_DIR = fromRoot('examples', 'skripts');
/** Address of the practice site in the files of the samples. It is replaced by the real address. */
const PRACTICE_SITE = 'http://127.0.0.1:3001';
const INPUT = /^input.*\.json$/;
const INPUT_SECRET = /^inputSecret.*\.json$/;

/** @param {string} dataDir */
const marker = dataDir => join(dataDir, 'samples-loaded');

/** @param {string} dataDir */
export const areSamplesLoaded = dataDir => existsSync(marker(dataDir));

/** @param {string} dataDir */
export const rememberSamples = dataDir => writeFileSync(marker(dataDir), '', { mode: 0o600 });

/**
 * Creates the sample skripts in the developer's account. Their inputs get the practice site's real address.
 * @param {import('./api.mjs').Api} developer
 * @param {string} siteAddress
 * @returns {Promise<{ samples: Sample[], first: Sample }>} `first`: the sample that the first start runs
 */
export async function loadSamples(developer, siteAddress) {
  /** @type {{ default: string, order: string[] }} */
  const index = JSON.parse(readFileSync(join(SAMPLES_DIR, 'index.json'), 'utf8'));
  /** @type {Sample[]} */
  const samples = [];
  // Create the samples in reverse order: lists show the newest skript first, so the first sample must be the newest.
  for (const folder of index.order.toReversed()) samples.unshift(await loadSample(developer, folder, siteAddress));
  const first = samples[index.order.indexOf(index.default)];
  if (!first) throw new Error(`examples/skripts/index.json: "order" lacks the default, "${index.default}".`);
  return { samples, first };
}

/**
 * @param {import('./api.mjs').Api} developer
 * @param {string} folder
 * @param {string} siteAddress
 * @returns {Promise<Sample>}
 */
async function loadSample(developer, folder, siteAddress) {
  const directory = join(SAMPLES_DIR, folder);
  const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
  const skriptId = await createOrFind(developer, manifest);
  /** @type {Sample} */
  const sample = { skriptId, title: manifest.title };
  for (const name of filesBelow(directory)) {
    const content = readFileSync(join(directory, name), 'utf8');
    if (name === 'manifest.json') continue;
    if (INPUT_SECRET.test(name))
      sample.inputSecretId = await addValue(developer, 'input-secrets', skriptId, name, content);
    else if (INPUT.test(name)) {
      sample.inputId = await addValue(
        developer,
        'inputs',
        skriptId,
        name,
        content.replaceAll(PRACTICE_SITE, siteAddress),
      );
    } else await addNew(developer, 'skript-files', { skript_id: skriptId, name, content });
  }
  return sample;
}

/**
 * Creates the skript and returns its id. If an earlier start, which was interrupted, has created it, returns the id of
 * that skript.
 * @param {import('./api.mjs').Api} developer
 * @param {{ title: string }} manifest
 * @returns {Promise<string>}
 */
async function createOrFind(developer, manifest) {
  try {
    return (await developer.post('/joint-api/skripts/addnew', manifest)).id;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'title_taken') throw error;
    const query = new URLSearchParams({ title_contains: manifest.title, limit: '1000' });
    /** @type {{ items: { id: string, title: string }[] }} */
    const { items } = await developer.get(`/joint-api/skripts/list?${query}`);
    const found = items.find(skript => skript.title === manifest.title);
    if (!found) throw error;
    return found.id;
  }
}

/**
 * @param {import('./api.mjs').Api} developer
 * @param {'inputs' | 'input-secrets'} resource
 * @param {string} skriptId
 * @param {string} name
 * @param {string} content JSON text
 * @returns {Promise<string | undefined>} its id
 */
async function addValue(developer, resource, skriptId, name, content) {
  const made = await addNew(developer, resource, { skript_id: skriptId, name, val: JSON.parse(content) });
  if (made) return made.id;
  /** @type {{ items: { id: string, name: string }[] }} */
  const { items } = await developer.get(`/joint-api/${resource}/list?skript_id=${skriptId}&limit=1000`);
  return items.find(item => item.name === name)?.id;
}

/**
 * @param {import('./api.mjs').Api} developer
 * @param {string} resource
 * @param {object} body
 * @returns {Promise<{ id: string } | undefined>} undefined if it already exists
 */
async function addNew(developer, resource, body) {
  try {
    return await developer.post(`/joint-api/${resource}/addnew`, body);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'name_taken') return undefined;
    throw error;
  }
}

/**
 * @param {string} directory
 * @returns {string[]} paths below it, with `/`
 */
function filesBelow(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}
