// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../common/problem.mjs';
import { errorLine, line, paint } from '../common/terminal.mjs';

const POLL_MS = 100;
const DEADLINE_MS = 240_000;
const ROWS_SHOWN = 3;
const ECHO_WIDTH = 140;

/**
 * @typedef {object} StoredRows
 * @property {string} databaseId
 * @property {string} collection
 * @property {number} count
 */

/**
 * Runs a sample skript and prints its echoes live. Then reads the rows that it stored through the API and prints the
 * first of them.
 * @param {import('./api.mjs').Api} developer
 * @param {import('./samples.mjs').Sample} sample
 * @returns {Promise<number>} how many rows are in the database
 * @throws {Problem} if the run failed or stored nothing
 */
export async function runSample(developer, sample) {
  line();
  line(`Running the skript ${paint.strong(sample.title)} against the practice site`);
  const query = new URLSearchParams({ worker_id: 'any', skript_id: sample.skriptId, force: 'true', wait_ms: '0' });
  if (sample.inputId) query.set('input_id', sample.inputId);
  if (sample.inputSecretId) query.set('inputSecret_id', sample.inputSecretId);
  const { id } = await developer.get(`/joint-api/execute-skript/single-worker/start?${query}`);
  const execution = await followEchoes(developer, id);
  if (execution.action !== 'end') {
    throw new Problem(
      `The skript "${sample.title}" failed (${execution.error_code ?? execution.action}).\n${execution.error_stack ?? ''}`,
    );
  }
  const stored = await storedRows(developer);
  const rowCount = stored.reduce((sum, { count }) => sum + count, 0);
  if (rowCount === 0) throw new Problem(`The skript "${sample.title}" ended, but it stored no rows.`);
  for (const rows of stored) await printRows(developer, rows);
  return rowCount;
}

/**
 * Runs a sample skript as `runSample` does. If it fails, for instance because a slow machine needs too long for a page,
 * says why and returns: the platform works nevertheless.
 * @param {import('./api.mjs').Api} developer
 * @param {import('./samples.mjs').Sample} sample
 */
export async function tryRunSample(developer, sample) {
  try {
    await runSample(developer, sample);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    errorLine(`${error.message}\nTrawl is running nevertheless. To try again, run the sample in the panel.`);
  }
}

/**
 * @param {import('./api.mjs').Api} developer
 * @param {string} executionId
 * @returns {Promise<{ action: string, error_code: string | null, error_stack: string | null }>} the execution, when the
 *   run is over
 */
async function followEchoes(developer, executionId) {
  const deadline = performance.now() + DEADLINE_MS;
  let lastSeq = 0;
  const printNew = async () => {
    /** @type {{ items: { seq: number, type: string, msg: string }[] }} */
    const { items } = await developer.get(`/joint-api/echoes/${executionId}/list?after_seq=${lastSeq}&limit=1000`);
    for (const echo of items) line(`  ${formatEcho(echo)}`);
    lastSeq = items.at(-1)?.seq ?? lastSeq;
    return items.length;
  };
  for (;;) {
    const execution = await developer.get(`/joint-api/skript-execution/${executionId}`);
    await printNew();
    if (!['start', 'pause'].includes(execution.action)) {
      // The last echoes may have been saved after the previous page was read.
      while (lastSeq < execution.last_seq && performance.now() < deadline) {
        if ((await printNew()) === 0) await delay(POLL_MS);
      }
      return execution;
    }
    if (performance.now() > deadline)
      throw new Problem(`The run ${executionId} did not end within ${DEADLINE_MS / 1000} s.`);
    await delay(POLL_MS);
  }
}

/** @param {{ type: string, msg: string }} echo */
function formatEcho({ type, msg }) {
  const text = type === 'image' ? '(an image)' : oneLine(msg);
  if (type === 'error') return paint.error(`✗ ${text}`);
  if (type === 'warn') return paint.warn(`! ${text}`);
  return `${paint.quiet('·')} ${text}`;
}

/** @param {string} text text from a skript. The result has no control characters, and is not longer than a line. */
function oneLine(text) {
  const printable = text.replace(/\p{Cc}+/gu, ' ');
  return printable.length > ECHO_WIDTH ? `${printable.slice(0, ECHO_WIDTH - 1)}…` : printable;
}

/**
 * @param {import('./api.mjs').Api} developer
 * @returns {Promise<StoredRows[]>} for each collection that is not empty
 */
async function storedRows(developer) {
  /** @type {{ items: { id: string }[] }} */
  const databases = await developer.get('/joint-api/mongo-databases/list?limit=1000');
  const stored = [];
  for (const { id } of databases.items) {
    /** @type {{ items: { name: string, count: number }[] }} */
    const { items } = await developer.get(`/joint-api/mongo-collections/${id}/list`);
    for (const { name } of items) {
      const { total } = await developer.get(`${documentsPath(id, name)}?limit=1`);
      if (total > 0) stored.push({ databaseId: id, collection: name, count: total });
    }
  }
  return stored;
}

/**
 * @param {import('./api.mjs').Api} developer
 * @param {StoredRows} rows
 */
async function printRows(developer, { databaseId, collection, count }) {
  const { items } = await developer.get(`${documentsPath(databaseId, collection)}?limit=${ROWS_SHOWN}&sort=_id`);
  line();
  line(
    `${paint.ok('✓')} ${count} ${count === 1 ? 'row' : 'rows'} in the collection ${paint.strong(collection)}, the first of them:`,
  );
  for (const { _id, ...fields } of items) line(`  ${oneLine(JSON.stringify(fields))}`);
}

/**
 * @param {string} databaseId
 * @param {string} collection
 */
const documentsPath = (databaseId, collection) =>
  `/joint-api/mongo/${databaseId}/${encodeURIComponent(collection)}/list`;
