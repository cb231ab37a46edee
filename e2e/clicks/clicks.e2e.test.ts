import { panelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
const panel = panelPage('clicks');

const MAIN = `const { dataset } = require('@trawl/storage');

module.exports = async () => {
  await dataset.push([{ title: 'Emma' }, { title: 'Persuasion' }]);
  throw new Error('no more shelves');
};
`;

const LINK = (name: string) => `::-p-aria(${name}[role="link"])`;
const TAB = (name: string) => `::-p-aria(${name}[role="tab"])`;
const BUTTON = (name: string) => `::-p-aria(${name}[role="button"])`;

let skriptId = '';
let runId = '';
let version = '';
/** Resolves when the page asks for rows as a file. */
let exported: Promise<string>;

const start = {
  skript: () => `skripts/${skriptId}`,
  run: () => `skript-executions/${runId}`,
  dashboard: () => 'dashboard',
};

beforeAll(async () => {
  skriptId = await platform.skript('Shelves', { 'main.js': MAIN });
  const run = await platform.ended((await platform.startRun(skriptId)).body.id);
  [runId, version] = [run.id, run.bundle_hash];
  // The files have changed since, so the line and the version are those of the run.
  const developer = await platform.as('developer');
  const { body: skript } = await developer('GET', `/joint-api/skripts/${skriptId}`);
  await developer('PUT', `/joint-api/skript-files/${skript.files[0].id}`, { content: `// Mended.\n${MAIN}` });
  await panel.signIn(platform);
  const { page } = panel;
  exported = page
    .waitForRequest(request => request.url().includes(`${runId}/rows/export`))
    .then(request => request.url());
});

const shows = (selector: string) => async () => void (await panel.page.waitForSelector(selector));

it.each<[string, { from: () => string; clicks: string[]; seen: () => Promise<void> }]>([
  [
    'a skript to the rows of its runs, in one click',
    { from: start.skript, clicks: [TAB('Data')], seen: shows('td ::-p-text(Persuasion)') },
  ],
  [
    'a run to the export of its rows, in one click',
    { from: start.run, clicks: [BUTTON('Export rows')], seen: async () => void (await exported) },
  ],
  [
    'the dashboard to the failing line, in two clicks',
    {
      from: start.dashboard,
      clicks: ['.issue-rows ::-p-text(no more shelves)', LINK('Open main.js:5')],
      seen: shows('.cm-activeLine ::-p-text(no more shelves)'),
    },
  ],
  [
    'a failed run to the version that broke it, in one click',
    {
      from: start.run,
      clicks: [LINK('version 1')],
      seen: async () => void (await panel.page.waitForFunction(hash => location.search.includes(hash), {}, version)),
    },
  ],
  [
    'a skript to a new schedule, in two clicks',
    {
      from: start.skript,
      clicks: [TAB('Schedules'), BUTTON('New schedule')],
      seen: shows('[role="dialog"] input[value="Shelves"]'),
    },
  ],
])('the panel leads from %s', async (_way, { from, clicks, seen }) => {
  await panel.page.goto(`${platform.url}/panel/developer/${from()}`);
  for (const target of clicks) await panel.press(target);
  await seen();
});
