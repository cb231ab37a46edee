// Runs the sample skript of the home page and tutorial on a running Trawl. Saves the result to
// content/sample-run.json.
//
//     npm start                                   (in another terminal)
//     npm run record-sample -w @trawl/website
import { readFile, writeFile } from 'node:fs/promises';
import { eventually, PRACTICE_URL, signedIn } from './trawl-client.mjs';

const here = path => new URL(path, import.meta.url);
const ROWS_SHOWN = 8;
const MOST_ROWS = 1000;

/** Returns all echoes of an ended run. The last ones may be saved a moment after its end. */
const savedEchoes = ({ id, last_seq }) =>
  eventually(`the last of ${last_seq} saved echoes`, async () => {
    const { items } = await get(`/joint-api/echoes/${id}/list?limit=50`);
    return items.length === last_seq && items;
  });

/**
 * Picks a few rows from each page that the run read, each with the index of the next echo. Echoes report the number of
 * books so far, and rows are in the order of storing. Leaves out titles that need more of the font than most pages load.
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
    .filter(({ title }) => !/[\u00a1-\u02dc]/.test(title))
    .toSorted((a, b) => placeOnPage(a) - placeOnPage(b))
    .slice(0, ROWS_SHOWN)
    .toSorted((a, b) => a.echo - b.echo);
}

const { call } = await signedIn('developer');
const get = path => call('GET', path);
const post = (path, body) => call('POST', path, body);

const skript = await post('/joint-api/skripts/addnew', { title: 'Sea stories', category: 'books' });
try {
  const content = await readFile(here('../samples/sea-stories/main.js'), 'utf8');
  await post('/joint-api/skript-files/addnew', { skript_id: skript.id, name: 'main.js', content });
  const input = await post('/joint-api/inputs/addnew', {
    skript_id: skript.id,
    name: 'inputSeaStories.json',
    val: { base_url: PRACTICE_URL },
  });
  const ids = new URLSearchParams({ worker_id: 'any', skript_id: skript.id, input_id: input.id });
  const execution = await get(`/joint-api/execute-skript/single-worker/start?${ids}`);
  if (execution.action !== 'end') {
    throw new Error(`the run has the action "${execution.action}" (${execution.error_code}): ${execution.error_stack}`);
  }
  const echoes = await savedEchoes(execution);
  const [database] = (await get('/joint-api/mongo-databases/list')).items;
  const rows = await get(`/joint-api/mongo/${database.id}/sea_stories/list?limit=${MOST_ROWS}&sort=_id`);
  const startedAt = Date.parse(execution.created_at);
  const record = {
    worker: execution.worker.name,
    duration_ms: Date.parse(execution.updated_at) - startedAt,
    // Relative to the start call, like the duration.
    echoes: echoes.map(({ time, type, msg }) => ({ time, at_ms: Date.parse(time) - startedAt, type, msg })),
    rows: rowsToShow(rows.items, echoes),
    output: execution.output,
  };
  await writeFile(here('../content/sample-run.json'), `${JSON.stringify(record, null, 2)}\n`);
  console.log(`content/sample-run.json: ${record.echoes.length} echoes, ${record.rows.length} rows`);
} finally {
  await call('DELETE', `/joint-api/skripts/${skript.id}`);
}
