// Takes the pictures of the panel for /docs/web-panel/, in light and dark, on a running Trawl with a fresh data folder.
// `npm run screenshots` starts one for it.
import { readFile } from 'node:fs/promises';
import { photograph } from './panel-pictures.mjs';
import { accountOf, PRACTICE_URL, signedIn } from './trawl-client.mjs';

const { call } = await signedIn('developer');
const post = (path, body) => call('POST', path, body);

const skript = await post('/joint-api/skripts/addnew', { title: 'Sea stories', category: 'books' });
const content = await readFile(new URL('../samples/sea-stories/main.js', import.meta.url), 'utf8');
await post('/joint-api/skript-files/addnew', { skript_id: skript.id, name: 'main.js', content });
const input = await post('/joint-api/inputs/addnew', {
  skript_id: skript.id,
  name: 'inputSeaStories.json',
  val: { base_url: PRACTICE_URL },
});
const start = { worker_id: 'any', skript_id: skript.id };
// Without an input the skript fails, so the pictures show an error too.
await post('/joint-api/execute-skript/single-worker/start', start);
const ids = new URLSearchParams({ ...start, input_id: input.id });
const run = await call('GET', `/joint-api/execute-skript/single-worker/start?${ids}`);
if (run.action !== 'end') throw new Error(`The run has the action "${run.action}": ${run.error_stack}`);

const schedule = { ...start, input_id: input.id };
const morning = await post('/joint-api/schedules/addnew', {
  ...schedule,
  name: 'Every morning',
  cron_span: '30 6 * * *',
});
await post('/joint-api/schedules/addnew', {
  ...schedule,
  name: 'Weekdays at noon',
  job_name: 'stories',
  cron_span: '0 12 * * 1-5',
});
await post(`/joint-api/schedules/${morning.id}/trigger`);
await post('/joint-api/keys/addnew', { name: 'nightly import', scope: 'run' });
const [database] = (await call('GET', '/joint-api/mongo-databases/list')).items;

await photograph(await accountOf('developer'), {
  run: `skript-executions/${run.id}`,
  dashboard: 'dashboard',
  workers: 'workers',
  skripts: 'skripts',
  'skript-editor': `skripts/${skript.id}`,
  'execute-skript': `execute-skript?skript_id=${skript.id}&execution_id=${run.id}`,
  'skript-executions': 'skript-executions',
  echoes: `echoes?tab=saved&execution_id=${run.id}`,
  scheduler: 'scheduler',
  storage: `storage/${database.id}/sea_stories`,
  exporters: `exporters/new?db_id=${database.id}&collection=sea_stories`,
  'joint-api': 'joint-api',
});
