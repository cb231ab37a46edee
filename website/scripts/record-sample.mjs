// Runs the sample skript of the home page and the tutorial on a Trawl that is up, and keeps what came of it, in
// content/sample-run.json and as pictures of the panel, so that the site shows what a run really made.
//
//     npm start                                   (in another terminal)
//     npm run record-sample -w @trawl/website
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import puppeteer from 'puppeteer-core';

const here = path => new URL(path, import.meta.url);
const trawlUrl = process.env.TRAWL_URL ?? 'http://127.0.0.1:3000';
const dataFolder = process.env.TRAWL_DATA_DIR ?? here('../../.trawl').pathname;
const practiceUrl = `http://127.0.0.1:${Number(new URL(trawlUrl).port) + 1}`;
const ROWS_SHOWN = 8;
const MOST_ROWS = 1000;
const PICTURE = { width: 1280, height: 800, deviceScaleFactor: 2 };
const PICTURE_QUALITY = 82;
const SAVED_WITHIN_MS = 15_000;
const SAVED_POLL_MS = 200;

async function call(method, path, body, token) {
  const response = await fetch(trawlUrl + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(`${method} ${path} answered ${response.status}: ${answer.error_message}`);
  }
  return answer;
}

/** All echoes of a run that is over. The last of them may be saved a moment after the end. */
async function savedEchoes({ id, last_seq }) {
  const deadline = Date.now() + SAVED_WITHIN_MS;
  for (;;) {
    const { items } = await get(`/joint-api/echoes/${id}/list?limit=50`);
    if (items.length === last_seq) return items;
    if (Date.now() > deadline) throw new Error(`only ${items.length} of ${last_seq} echoes were saved in time`);
    await delay(SAVED_POLL_MS);
  }
}

/**
 * A few rows of every page that the run read, each with the echo before which it was stored: an echo says how many
 * books there were by then, and rows come in the order in which they were stored.
 */
function rowsToShow(rows, echoes) {
  const booksBy = echoes.map(({ msg }) => Number(/(\d+) books so far$/.exec(msg)[1]));
  const stored = rows.map(({ sku, title, price }, index) => ({
    sku,
    title,
    price,
    echo: booksBy.findIndex(books => books > index),
  }));
  const placeOnPage = row => stored.filter(other => other.echo === row.echo).indexOf(row);
  return stored
    .toSorted((a, b) => placeOnPage(a) - placeOnPage(b))
    .slice(0, ROWS_SHOWN)
    .toSorted((a, b) => a.echo - b.echo);
}

/** The page of the run in the panel, in both themes. */
async function photograph(executionId, { username, password }) {
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROME_PATH ?? (await chromium.executablePath()),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run', '--lang=en-GB'],
    headless: 'shell',
  });
  try {
    for (const theme of ['light', 'dark']) {
      const session = await browser.createBrowserContext();
      const tab = await session.newPage();
      await tab.setViewport(PICTURE);
      await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      await tab.goto(`${trawlUrl}/panel/login`, { waitUntil: 'networkidle0' });
      await tab.type('input[name=username]', username);
      await tab.type('input[name=password]', password);
      await tab.keyboard.press('Enter');
      await tab.waitForFunction(() => location.pathname.endsWith('/dashboard'));
      const page = `${trawlUrl}/panel/developer/skript-executions/${executionId}`;
      await tab.goto(page, { waitUntil: 'networkidle0' });
      const picture = await tab.screenshot({ type: 'webp', quality: PICTURE_QUALITY });
      await writeFile(here(`../static/img/panel-run-${theme}.webp`), picture);
      await session.close();
    }
  } finally {
    await browser.close();
  }
}

const credentials = JSON.parse(await readFile(`${dataFolder}/credentials.json`, 'utf8'));
const developer = credentials.find(({ role }) => role === 'developer');
const { username, password } = developer;
const { jwtToken } = await call('POST', '/panel/login', { username, password });
const get = path => call('GET', path, undefined, jwtToken);
const post = (path, body) => call('POST', path, body, jwtToken);

const skript = await post('/joint-api/skripts/addnew', { title: 'Sea stories', category: 'books' });
try {
  const content = await readFile(here('../samples/sea-stories/main.js'), 'utf8');
  await post('/joint-api/skript-files/addnew', { skript_id: skript.id, name: 'main.js', content });
  const input = await post('/joint-api/inputs/addnew', {
    skript_id: skript.id,
    name: 'inputSeaStories.json',
    val: { base_url: practiceUrl },
  });
  const ids = new URLSearchParams({ worker_id: 'any', skript_id: skript.id, input_id: input.id });
  const execution = await get(`/joint-api/execute-skript/single-worker/start?${ids}`);
  if (execution.action !== 'end') {
    throw new Error(`the run is at "${execution.action}" (${execution.error_code}): ${execution.error_stack}`);
  }
  const echoes = await savedEchoes(execution);
  const [database] = (await get('/joint-api/mongo-databases/list')).items;
  const rows = await get(`/joint-api/mongo/${database.id}/sea_stories/list?limit=${MOST_ROWS}&sort=_id`);
  const startedAt = Date.parse(execution.created_at);
  const record = {
    worker: execution.worker.name,
    duration_ms: Date.parse(execution.updated_at) - startedAt,
    // From the start call, as the duration is.
    echoes: echoes.map(({ time, type, msg }) => ({ time, at_ms: Date.parse(time) - startedAt, type, msg })),
    rows: rowsToShow(rows.items, echoes),
    output: execution.output,
  };
  await writeFile(here('../content/sample-run.json'), `${JSON.stringify(record, null, 2)}\n`);
  await photograph(execution.id, developer);
  console.log(`content/sample-run.json: ${record.echoes.length} echoes, ${record.rows.length} rows`);
} finally {
  await call('DELETE', `/joint-api/skripts/${skript.id}`, undefined, jwtToken);
}
