import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemeProblems } from '../harness/browser/accessibility.js';
import { PanelPage, panelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';

const platform = sharedPlatform();
const panel = panelPage('panel-runs');
const TITLE = 'Prices of a shop';

/** Fails for one page, otherwise sends as many echoes as the input says, with one error among them. */
const MAIN = `const { echo } = require('@trawl/echo');

module.exports = async ({ pages }) => {
  if (pages === 1) throw new Error('a single page has no prices');
  for (let row = 1; row <= pages; row++) (row === 777 ? echo.error : echo.log)('row ' + row);
  return { pages };
};
`;
const THUMBNAIL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const INPUT_SCHEMA = {
  type: 'object',
  required: ['pages'],
  properties: { pages: { type: 'integer', title: 'Number of pages', minimum: 1, default: 1 } },
};

/** A title of 120 characters that would run as HTML, would be read backwards, and has no place to break. */
const HOSTILE = `<img src=x onerror="document.title='owned'">\u202e`.padEnd(120, 'W');
const HOSTILE_MAIN = `const { echo } = require('@trawl/echo');

module.exports = async title => {
  echo.log(title);
  echo.warn('x'.repeat(1_000_000));
  echo.objekt({ [title]: title });
  throw new Error(title);
};
`;

let skriptId = '';
const open = (path: string) => panel.page.goto(`${platform.url}/panel/developer/${path}`);
const button = (name: string) => panel.button(name);
const link = (name: string) => panel.press(`::-p-aria(${name}[role="link"])`);
const runs = async (): Promise<any[]> =>
  (await (await platform.as('developer'))('GET', '/joint-api/skript-execution/list')).body.items;

beforeAll(async () => {
  skriptId = await platform.skript(TITLE, { 'main.js': MAIN }, { input_schema: INPUT_SCHEMA, thumbnail: THUMBNAIL });
  await panel.signIn(platform);
});

it('the panel runs a skript, links its error to the line of code, and runs it again with the same input', async () => {
  const { page } = panel;
  await open(`execute-skript?skript_id=${skriptId}`);
  await page.waitForSelector('::-p-aria(Number of pages)');
  await button('Run');
  await panel.shows('a single page has no prices');
  await link('Details');
  // Both pages have the next link, and the address changes before the page. A click on the first one would be lost.
  await page.waitForSelector('::-p-aria(Execute again[role="link"])');
  await link('Open main.js:4');
  await page.waitForFunction(() => document.querySelector('.cm-activeLine')?.textContent?.includes('throw new Error'));

  const [failed] = await runs();
  await open(`skript-executions/${failed.id}`);
  await link('Execute again');
  await button('Run');
  await page.waitForFunction(() => new URLSearchParams(location.search).has('execution_id'));
  const again = await platform.ended(new URL(page.url()).searchParams.get('execution_id') ?? '');
  expect([again.input_value, again.worker]).toEqual([{ pages: 1 }, failed.worker]);
});

it('the code editor suggests and documents library methods, marks unknown ones, and formats the code', async () => {
  const { page } = panel;
  const content = 'const { echo } = require("@trawl/echo")\necho.lgo(1)\n';
  await open(`skripts/${await platform.skript('Typed by hand', { 'main.js': content })}`);
  await page.locator('.cm-line:nth-child(3)').click();
  await page.waitForSelector('.cm-lintRange-warning ::-p-text(lgo)');
  // Component tests show that suggestions, parameters and documentation appear.
  if (!isFullTest) return;
  await page.keyboard.type('echo.wa');
  await page.waitForSelector('.cm-tooltip-autocomplete [aria-selected] ::-p-text(warn)');
  await page.waitForSelector('.cm-completionInfo ::-p-text(warn)');
  // CodeMirror ignores Enter for 75 ms after it opens the list.
  await page.click('.cm-tooltip-autocomplete [aria-selected]');
  await page.keyboard.type('(');
  await page.waitForSelector('.cm-tooltip.cm-code-text strong ::-p-text(values: unknown)');
  await page.keyboard.press('Backspace');
  await page.waitForFunction(() => document.querySelector('.cm-tooltip.cm-code-text') === null);
  await page.keyboard.down('Shift');
  await page.keyboard.down('Alt');
  await page.keyboard.press('KeyH');
  await page.keyboard.up('Alt');
  await page.keyboard.up('Shift');
  await page.waitForSelector('.cm-tooltip-hover ::-p-text(warn)');
  await page.keyboard.press('Escape');
  await page.locator('.cm-line span ::-p-text(require)').hover();
  await page.waitForSelector('.cm-tooltip-hover ::-p-text(require)');
  await button('Format');
  await page.waitForFunction(
    formatted => document.querySelector('.cm-content')?.textContent === formatted,
    {},
    "const { echo } = require('@trawl/echo');echo.lgo(1);echo.warn;",
  );
  await button('Save');
  await page.waitForFunction(() => document.querySelector('.editor-state')?.textContent !== 'not saved');
});

it('the code editor marks type errors of TypeScript, and a bundle lists those of all files with links to them', async () => {
  const { page } = panel;
  const files = {
    'main.ts': `import * as cheerio from 'cheerio';
import { cents } from './lib/cents';
import { title } from './manifest.json';

export default (html: string) => {
  const $ = cheerio.load(html);
  const links = $('a').toArray();
  return links.map(link => link.attributes.title + title + cents('1'));
};
`,
    'lib/cents.ts': 'export const cents = (text: string): number => text;\n',
    'tsconfig.json': '{ "extends": "@tsconfig/node24/tsconfig.json" }',
  };
  await open(`skripts/${await platform.skript('Typed in TypeScript', files)}?file=main.ts`);
  await page.locator('.cm-line:nth-child(3)').click();
  await page.waitForSelector('.cm-lintRange-warning ::-p-text(title)');
  await button('Bundle');
  await panel.shows('Bundled, with 2 type errors');
  await panel.shows("Property 'title' does not exist on type 'Attribute[]'.");
  await button('lib/cents.ts:1:48');
  await page.waitForSelector('.cm-lintRange-warning ::-p-text(text)');
});

/** Drops files on the code editor. */
const dropFiles = (files: Record<string, string>) =>
  panel.page.evaluate(contents => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of Object.entries(contents)) dataTransfer.items.add(new File([text], name));
    const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector('.cm-content')?.dispatchEvent(drop);
  }, files);

it('the panel adds dropped files after a question, compares them with an earlier run, and runs no code of a howto', async () => {
  const { page } = panel;
  await open(`skripts/${skriptId}`);
  await page.waitForSelector('.cm-content');
  const howto = `<h1>Prices</h1><script>top.ran = 1</script><img src="${THUMBNAIL}" onload="top.ran = 2">`;
  await dropFiles({ 'main.js': MAIN.replace('has no prices', 'is too little'), 'howto.html': howto });
  await panel.shows('replaces the file');
  await button('Add one file, replace one file');
  await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('is too little'));

  const failed = (await runs()).find(({ action }) => action === 'error');
  await open(`skript-executions/${failed.id}`);
  await link('Open main.js:4');
  await panel.shows('You see version');
  const shown = () => document.querySelector('.cm-content')?.textContent ?? '';
  await page.waitForFunction(() => document.querySelector('.cm-activeLine')?.textContent?.includes('has no prices'));
  await page.click('.cm-content');
  await page.keyboard.type('typed');
  expect(await page.evaluate(shown)).not.toContain('typed');
  await button('Compare with the current files');
  await page.waitForFunction(() =>
    /has no prices.*is too little/.test(
      document.querySelector('section[aria-label="main.js"] tr[data-kind="changed"]')?.textContent ?? '',
    ),
  );

  await open(`skripts/${skriptId}?tab=howto`);
  const frame = await (await page.waitForSelector('iframe.howto'))?.contentFrame();
  await frame?.waitForSelector('::-p-text(Prices)');
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);
  await open(`skripts/${skriptId}?version=${failed.bundle_hash}`);
  await button('Restore this version');
  await button('Restore version');
  await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('has no prices'));
});

if (isFullTest)
  it('the panel creates a skript from a folder that is dropped on the list of skripts', async () => {
    const { page } = panel;
    const parent = mkdtempSync(join(tmpdir(), 'trawl-folder-'));
    const folder = join(parent, 'Sea stories');
    for (const name of ['lib', 'node_modules/tides']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'main.js'), "module.exports = () => require('./lib/tide.js');\n");
    writeFileSync(join(folder, 'lib/tide.js'), "module.exports = 'high';\n");
    writeFileSync(join(folder, 'node_modules/tides/index.js'), '');
    try {
      await open('skripts');
      const list = await (await page.waitForSelector('.drop-zone table'))?.boundingBox();
      const place = { x: (list?.x ?? 0) + 20, y: (list?.y ?? 0) + 20 };
      const devtools = await page.createCDPSession();
      const data = { items: [], files: [folder], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await devtools.send('Input.dispatchDragEvent', { type, ...place, data });
      await devtools.detach();
      await panel.press('[role="dialog"] button[type="submit"]');
      await panel.shows('Sea stories was uploaded');
      await link('Open the editor');
      await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('./lib/tide.js'));
      await panel.shows('tide.js');
    } finally {
      rmSync(parent, { recursive: true });
    }
    const skripts = (await (await platform.as('developer'))('GET', '/joint-api/skripts/list')).body.items;
    const { id } = skripts.find(({ title }: { title: string }) => title === 'Sea stories');
    const { body } = await (await platform.as('developer'))('GET', `/joint-api/skripts/${id}`);
    expect(body.files.map(({ name }: { name: string }) => name).sort()).toEqual(['lib/tide.js', 'main.js']);
  });

it('the panel jumps from the first of many echoes to the last, or to the error, with one click each', async () => {
  const { page } = panel;
  const { body: run } = await platform.startRun(skriptId, { pages: 3000 });
  await open(`skript-executions/${run.id}`);
  await panel.shows('1–200 of 3,000 echoes');
  await button('Last');
  await panel.shows('row 3000');
  await button('First error');
  await page.waitForFunction(() => document.querySelector('[data-shown]')?.textContent?.includes('row 777'));

  const failed = (await runs()).find(({ action }) => action === 'error');
  await open(`skript-executions/compare?one=${run.id}&other=${failed.id}`);
  await page.waitForFunction(() =>
    /Status.*differs.*completed.*failed/s.test(document.querySelector('tr[data-differs]')?.textContent ?? ''),
  );
});

it('the panel shows a new schedule in words, fires it on request, and lists the outcome', async () => {
  const { page } = panel;
  await open(`scheduler?new=1&start_skript_id=${skriptId}`);
  await page.locator('[role="dialog"] input[data-path="name"]').fill('Prices, weekdays');
  await button('Weekdays');
  await panel.shows('At 06:30, Monday through Friday');
  await page.waitForSelector('[role="dialog"] .span-preview li:nth-child(5)');
  await button('Create schedule');
  await page.waitForSelector('.lane[aria-label*="to come"], .lane[aria-label*="no fires"]');
  await button('Run now: Prices, weekdays');
  await page.waitForFunction(() => /skript-executions\/[0-9a-f-]{36}$/.test(location.pathname));
  await open('scheduler');
  await link('Prices, weekdays');
  await panel.shows('run by hand');
  expect((await runs())[0].schedule.name).toBe('Prices, weekdays');
});

it('a list of one line shows exact times while the keyboard focus is in their row, and does not move', async () => {
  const { page } = panel;
  await open('skript-executions');
  const link = await page.waitForSelector('tbody .cell-title');
  const [exact, row] = ['tbody .time .visually-hidden', 'tbody tr'];
  const boxOf = (selector: string) => page.$eval(selector, element => element.getBoundingClientRect().toJSON());
  const before = await boxOf(row);
  expect((await boxOf(exact)).width).toBeLessThan(2);
  await page.keyboard.press('Tab');
  await link?.focus();
  expect((await boxOf(exact)).width).toBeGreaterThan(80);
  expect(await boxOf(row)).toEqual(before);
});

it('the panel finds a skript by part of its title with the keyboard, and shows its runs as bars', async () => {
  const { page } = panel;
  await open('dashboard');
  await panel.shows('Runs by the hour');
  await page.keyboard.down('Control');
  await page.keyboard.press('k');
  await page.keyboard.up('Control');
  await page.locator('::-p-aria(Search, or type a command)').fill('of a sh');
  await page.waitForSelector(`.mantine-Spotlight-action[data-selected] ::-p-text(${TITLE})`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(path => location.pathname.endsWith(path), {}, `/skripts/${skriptId}`);
  await open('skripts?category=general');
  await page.waitForSelector('.strip[aria-label^="Last 4 runs"]');
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('img.thumbnail')?.naturalWidth === 1);
  expect(panel.problems).toEqual([]);
});

if (isFullTest)
  it('the panel keeps unsaved code at sign-out, on going back, after a save in another tab, and when the session ends', async () => {
    const { page } = panel;
    const id = await platform.skript('Two tabs', { 'main.js': '// saved' });
    const developer = await platform.as('developer');
    const saved = async () => {
      const { body: skript } = await developer('GET', `/joint-api/skripts/${id}`);
      return (await developer('GET', `/joint-api/skript-files/${skript.files[0].id}`)).body.content;
    };
    const shown = (text: string, selector = '.cm-content') =>
      page.waitForFunction((part, at) => document.querySelector(at)?.textContent?.includes(part), {}, text, selector);
    const stay = async () => {
      await button('Stay');
      // A click would still land on the overlay of the dialog.
      await page.waitForFunction(() => !document.querySelector('[role="dialog"], .mantine-Overlay-root'));
    };
    await open('skripts');
    await link('Two tabs');
    await shown('// saved');
    const other = new PanelPage();
    await other.open(page.browser());
    await other.page.goto(page.url());
    await other.replaceCode('// of the other tab');
    await other.button('Save');
    await until(async () => (await saved()) === '// of the other tab', 'the file of the other tab');
    await other.page.close();

    await page.bringToFront();
    await panel.replaceCode('// of this tab');
    await button('Sign out');
    await panel.shows('Sign out without saving?');
    await stay();
    await page.evaluate(() => history.back());
    await panel.shows('Leave without saving?');
    await stay();
    await button('Save');
    await panel.shows('main.js was changed elsewhere');
    await shown('// of the other tab', '[role="dialog"] .cm-content');
    await shown('// of this tab', '[role="dialog"] .cm-content');
    expect(await saved()).toBe('// of the other tab');
    await button('Save this text');
    await until(async () => (await saved()) === '// of this tab', 'the file of this tab');
    await page.waitForFunction(() => !document.querySelector('[role="dialog"], .mantine-Overlay-root'));

    await panel.replaceCode('// typed before the end');
    const token = (await page.browserContext().cookies()).find(({ name }) => name === 'token')?.value;
    await fetch(`${platform.url}/panel/logout`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    // By keyboard, because the panel may have left the page already.
    await page.keyboard.down('Control');
    await page.keyboard.press('s');
    await page.keyboard.up('Control');
    await page.waitForFunction(() => location.pathname === '/panel/login');
    await panel.fillSignIn(platform);
    await panel.shows('from before you signed in are back');
    await shown('// typed before the end');
    await button('Save');
    await until(async () => (await saved()) === '// typed before the end', 'the draft');
    expect(panel.problems.splice(0).filter(problem => !/401|412/.test(problem))).toEqual([]);
  });

it('the panel shows hostile titles and echoes of 1 MB as plain text that does not break the layout', async () => {
  const { page } = panel;
  const id = await platform.skript(HOSTILE, { 'main.js': HOSTILE_MAIN });
  const { body: run } = await platform.startRun(id, HOSTILE);
  expect(run.error_code).toBe('exception');
  const pages: [width: number, path: string, text: string][] = [
    [360, `skript-executions/${run.id}`, 'of 1,000,000 characters'],
    [360, 'skripts', '<img src=x'],
    [1440, `skript-executions/compare?one=${run.id}&other=${run.id}`, '<img src=x'],
    [1440, 'skript-executions', '<img src=x'],
  ];
  const others: typeof pages = [
    [1440, `echoes?tab=saved&execution_id=${run.id}`, 'of 1,000,000 characters'],
    [360, `skripts/${id}`, '<img src=x'],
    [1440, 'dashboard', '<img src=x'],
    [360, 'skript-executions/issues', '<img src=x'],
  ];
  for (const [width, path, text] of isFullTest ? [...pages, ...others] : pages) {
    await page.setViewport({ width, height: 900 });
    await open(path);
    await page.waitForFunction(part => document.querySelector('main')?.textContent?.includes(part), {}, text);
    expect(
      await page.evaluate(() => ({
        path: location.pathname,
        sideways: document.documentElement.scrollWidth - innerWidth,
        images: document.querySelectorAll('img[src="x"]').length,
        isOwned: document.title === 'owned',
        // A table may scroll in its frame on a narrow window only.
        cutTables: [...document.querySelectorAll('.table-frame')].filter(frame => frame.scrollWidth > frame.clientWidth)
          .length,
        tallRows: [...document.querySelectorAll('.echo')].filter(({ clientHeight }) => clientHeight > 2_000).length,
      })),
    ).toEqual({ path: expect.any(String), sideways: 0, images: 0, isOwned: false, cutTables: 0, tallRows: 0 });
  }
  await page.setViewport({ width: 1440, height: 900 });
  expect(panel.problems).toEqual([]);
});

if (isFullTest)
  it('on a phone, the panel shows the result of a run on the screen after Run', async () => {
    const { page } = panel;
    await page.setViewport({ width: 360, height: 740 });
    await open(`execute-skript?skript_id=${skriptId}`);
    await page.waitForSelector('::-p-aria(Number of pages)');
    await button('Run');
    await panel.shows('a single page has no prices');
    await page.waitForFunction(() => {
      const { top = -1 } = document.querySelector('.run-view')?.getBoundingClientRect() ?? {};
      return top >= 0 && top < innerHeight / 2;
    });
    await page.setViewport({ width: 1440, height: 900 });
  });

it('axe finds no accessibility problem in the panel, in light and dark', async () => {
  const { page } = panel;
  const [run] = await runs();
  // One page of each layout: figures and charts, a list, the editor, a form, a run with its console.
  const layouts = ['dashboard', 'skripts', `skripts/${skriptId}`, 'execute-skript', `skript-executions/${run.id}`];
  const others = [
    ...['workers', 'skript-executions', 'skript-executions/issues', 'echoes', 'scheduler', 'storage', 'storage/sql'],
    ...['skripts/sessions', 'storage?tab=postgres', 'exporters', 'exporters/new', 'exporters?tab=imports', 'joint-api'],
    ...['joint-api?tab=test', 'account', 'account?tab=security', 'account?tab=notifications', 'scheduler?new=1'],
    ...['runs', 'data', 'items', 'schedules', 'alerts', 'settings'].map(tab => `skripts/${skriptId}?tab=${tab}`),
    ...['rows', 'changes', 'saw', 'output', 'files', 'details'].map(tab => `skript-executions/${run.id}?tab=${tab}`),
  ];
  const found: string[] = [];
  const sample = layouts.filter((_, index) => index % 3 === testSeed % 3);
  for (const path of isFullTest ? [...layouts, ...others] : sample) {
    await open(path);
    await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('[aria-busy="true"]'));
    await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root'));
    found.push(...(await schemeProblems(page)).map(problem => `${path}, ${problem}`));
  }
  if (isFullTest) {
    await open('dashboard');
    await page.locator('button[aria-label*="otification"]').click();
    await page.waitForSelector('[role="dialog"]');
    found.push(...(await schemeProblems(page)).map(problem => `notifications, ${problem}`));
  }
  expect(found).toEqual([]);
});
