// Runs the sample skript of the home page and the tutorial on a Trawl that is up, and keeps what came of it in
// content/sample-run.json, so that the site shows output that a run really made.
//
//     npm start                                   (in another terminal)
//     npm run record-sample -w @trawl/website
import { readFile, writeFile } from 'node:fs/promises';

const here = path => new URL(path, import.meta.url);
const trawlUrl = process.env.TRAWL_URL ?? 'http://127.0.0.1:3000';
const dataFolder = process.env.TRAWL_DATA_DIR ?? here('../../.trawl').pathname;
const practiceUrl = `http://127.0.0.1:${Number(new URL(trawlUrl).port) + 1}`;
const ROWS_SHOWN = 8;

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

const credentials = JSON.parse(await readFile(`${dataFolder}/credentials.json`, 'utf8'));
const { username, password } = credentials.find(({ role }) => role === 'developer');
const { jwtToken } = await call('POST', '/panel/login', { username, password });
const get = path => call('GET', path, undefined, jwtToken);
const post = (path, body) => call('POST', path, body, jwtToken);

const skript = await post('/joint-api/skripts/addnew', { title: `Sea stories ${Date.now()}` });
try {
  const content = await readFile(here('../samples/sea-stories/main.js'), 'utf8');
  await post('/joint-api/skript-files/addnew', { skript_id: skript.id, name: 'main.js', content });
  const execution = await post('/joint-api/execute-skript/single-worker/start', {
    worker_id: 'any',
    skript_id: skript.id,
    input: { base_url: practiceUrl },
  });
  if (execution.action !== 'end') {
    throw new Error(`the run is at "${execution.action}" (${execution.error_code}): ${execution.error_stack}`);
  }
  const echoes = await get(`/joint-api/echoes/${execution.id}/list?limit=50`);
  const [database] = (await get('/joint-api/mongo-databases/list')).items;
  const rows = await get(`/joint-api/mongo/${database.id}/sea_stories/list?limit=${ROWS_SHOWN}&sort=sku`);
  const record = {
    worker: execution.worker.name,
    duration_ms: Date.parse(execution.updated_at) - Date.parse(execution.created_at),
    echoes: echoes.items.map(({ time, type, msg }) => ({ time, type, msg })),
    rows: rows.items.map(({ sku, title, price }) => ({ sku, title, price })),
    output: execution.output,
  };
  await writeFile(here('../content/sample-run.json'), `${JSON.stringify(record, null, 2)}\n`);
  console.log(`content/sample-run.json: ${record.echoes.length} echoes, ${record.rows.length} rows`);
} finally {
  await call('DELETE', `/joint-api/skripts/${skript.id}`, undefined, jwtToken);
}
