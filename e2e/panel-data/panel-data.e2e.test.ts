import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElementHandle, HTTPRequest } from 'puppeteer-core';
import { layoutProblems } from '../harness/browser/accessibility.js';
import { PanelPage, panelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';

const BOOKS = [
  { title: 'Emma', price: 9.5, pages: 474 },
  { title: 'Dune', price: 12 },
  { title: 'Salt', price: null },
];

const platform = sharedPlatform();
const panel = panelPage('panel-data');
const folder = mkdtempSync(join(tmpdir(), 'trawl-panel-data-'));
afterAll(() => rmSync(folder, { recursive: true }));

const heading = (text: string) =>
  panel.page.waitForFunction(wanted => document.querySelector('h1')?.textContent === wanted, {}, text);
const button = (name: string) => panel.button(name);
/** Fills a text field. Without the role, the heading of a column could have the same name. */
const fill = (label: string, text: string) => panel.page.locator(`::-p-aria(${label}[role="textbox"])`).fill(text);
/** Fills a field that suggests values. */
const fillChoice = (label: string, text: string) => panel.page.locator(`input::-p-aria(${label})`).fill(text);
const goTo = (path: string) => panel.page.goto(`${platform.url}/panel/developer/${path}`);
const isGone = (text: string) =>
  panel.page.waitForFunction(gone => !document.querySelector('main')?.textContent?.includes(gone), {}, text);

/** Holds the next request to this path until the returned function is called. */
async function heldRequest(path: string): Promise<() => Promise<void>> {
  const { page } = panel;
  await page.setRequestInterception(true);
  const held: HTTPRequest[] = [];
  const hold = (request: HTTPRequest) => {
    if (request.url().includes(path)) held.push(request);
    else void request.continue();
  };
  page.on('request', hold);
  return async () => {
    for (const request of held) await request.continue();
    page.off('request', hold);
    await page.setRequestInterception(false);
  };
}

/** Runs in the page. Returns how many pixels the middle of an element is from that of its parent. */
function distanceFromMiddle(element: Element): number {
  const [inner, outer] = [element, element.parentElement].map(one => one?.getBoundingClientRect());
  if (!inner || !outer) return Number.POSITIVE_INFINITY;
  return Math.hypot(
    inner.x + inner.width / 2 - outer.x - outer.width / 2,
    inner.y + inner.height / 2 - outer.y - outer.height / 2,
  );
}

async function chooseFile(path: string): Promise<void> {
  const field = (await panel.page.waitForSelector('input[type="file"]')) as ElementHandle<HTMLInputElement>;
  await field.uploadFile(path);
}

const replaceCode = (text: string) => panel.replaceCode(text);
const replaceJson = (text: string) => panel.replaceCode(text, '[role="dialog"] .cm-content');

beforeAll(() => panel.signIn(platform));
// Chromium logs each refused request as an error, also those that a story causes on purpose.
afterEach(() => expect(panel.problems.splice(0).filter(problem => !problem.includes('422'))).toEqual([]));

it('in the panel, a developer creates a MongoDB database, and filters, edits and deletes its documents', async () => {
  await goTo('storage');
  await button('New database');
  await fill('Name', 'catalogue');
  await button('Create database');
  await heading('catalogue');
  await panel.press('header ::-p-aria(New collection[role="button"])');
  await fill('Name', 'books');
  await button('Create collection');
  await heading('books');
  await panel.press('header ::-p-aria(Add documents[role="button"])');
  await replaceJson('[{ "title": }]');
  await panel.shows('Line 1, column 13: A value is missing here.');
  await replaceJson(JSON.stringify(BOOKS));
  await button('Add');
  await panel.shows('Emma');
  // Two of three documents have a price.
  await panel.shows('67 %');

  await button('Add filter');
  await fillChoice('Field', 'title');
  await fill('Value', 'EM');
  await button('Filter');
  await isGone('Dune');
  await panel.press('td button[aria-label^="Open "]');
  await button('Edit');
  const editor = await panel.page.waitForSelector('[role="dialog"] .cm-content');
  const before = await editor?.evaluate(content => content.textContent ?? '');
  const { pages: _, ...kept } = JSON.parse(before ?? '');
  await replaceJson(JSON.stringify({ ...kept, price: 8 }));
  await panel.page.keyboard.press('Escape');
  await panel.shows('Discard your input?');
  await button('Keep editing');
  await button('Save document');
  const developer = await platform.as('developer');
  const { body: databases } = await developer('GET', '/joint-api/mongo-databases/list?sort=-created_at');
  const place = `/joint-api/mongo/${databases.items[0].id}/books`;
  const documents = async () =>
    (await developer('GET', `${place}/list?sort=title&select=title,price,pages`)).body.items;
  await until(async () => (await documents())[1].price === 8, 'the changed price');
  expect((await documents())[1]).toEqual({ _id: expect.anything(), title: 'Emma', price: 8 });

  await button('Close the document');
  // A click would still land on the overlay of the drawer.
  await panel.page.waitForFunction(() => !document.querySelector('[role="dialog"], .mantine-Overlay-root'));
  await panel.press('::-p-aria(Select all rows of this page[role="checkbox"])');
  await button('Delete 1');
  await panel.press('::-p-text(Delete the selected documents…)');
  await panel.press('[role="dialog"] .danger-button');
  await panel.shows('No matching documents');
  expect((await documents()).map(({ title }: { title: string }) => title)).toEqual(['Dune', 'Salt']);
});

it('in the panel, a developer corrects an SQL error where it is marked, cancels a statement, and sees the table', async () => {
  await goTo('storage/sql');
  await replaceCode('SELECT 1,\n  missing_column');
  await button('Run');
  await panel.shows('Error in line 2, column 3');
  await replaceCode('SELECT pg_sleep(25)');
  await button('Run');
  await button('Cancel');
  await panel.shows('PostgreSQL stopped the statement');
  await replaceCode("CREATE TABLE knots AS SELECT 'bowline' AS name");
  await button('Run');
  await panel.shows('Switch on “Allow changes”');
  await panel.press('::-p-aria(Allow changes)');
  await button('Run');
  await panel.shows('SELECT, 1 row');
  await goTo('storage?tab=postgres');
  await panel.press('::-p-text(knots)');
  await panel.shows('bowline');
});

it('in the panel, a developer exports the documents that match a filter, and saves the exporter', async () => {
  const developer = await platform.as('developer');
  const { body: databases } = await developer('GET', '/joint-api/mongo-databases/list?sort=created_at');
  const place = `/joint-api/mongo/${databases.items[0].id}/fleet`;
  await developer('POST', `${place}/addnew-many`, { documents: BOOKS.slice(1) });
  const where = encodeURIComponent('[["price","filled",""]]');
  await goTo(`storage/${databases.items[0].id}/fleet?where=${where}`);
  await panel.shows('Dune');
  await panel.press('::-p-text(Export…)');
  await heading('New export');
  await panel.shows('1 row');
  await button('Start export');
  await heading('Exporters');
  await button('Download fleet.csv');
  const { body: exported } = await developer('GET', '/joint-api/exports/list');
  const token = await platform.signIn('developer');
  const file = await fetch(`${platform.url}/joint-api/exports/${exported.items[0].id}/file`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect((await file.text()).trim().split(/\r?\n/)).toEqual(['_id,title,price', expect.stringMatching(/,Dune,12$/)]);

  await goTo(`exporters/new?repeat=hand&db_id=${databases.items[0].id}&collection=fleet`);
  await fill('Name of the exporter', 'Books for the shop');
  await button('Save exporter');
  await button('Export now: Books for the shop');
  await until(
    async () => (await developer('GET', '/joint-api/exports/list?state=done')).body.total === 2,
    'the export of the exporter',
  );
});

it('in the panel, a developer checks the columns of a file and imports it', async () => {
  const path = join(folder, 'stock.csv');
  // Wider than a phone.
  const note = 'Kept dry in the shed behind the pier, on the upper shelf';
  writeFileSync(path, `sku;name;unwanted;note\nA1;Rope;${note};${note}\nA2;Anchor;${note};${note}\n`);
  await goTo('exporters?tab=imports');
  await panel.press('header ::-p-aria(Import a file[role="button"])');
  await chooseFile(path);
  const release = await heldRequest('/joint-api/imports/upload');
  await panel.press('[role="dialog"] button[type="submit"]');
  const loader = await panel.page.waitForSelector('[role="dialog"] button[type="submit"] .mantine-Button-loader');
  // Reduced motion leaves out the transition that moves it there.
  expect(await loader?.evaluate(distanceFromMiddle)).toBeLessThan(1);
  await release();
  await heading('stock.csv');
  await panel.shows('First rows');
  expect(await layoutProblems(panel.page)).toEqual([]);
  await panel.press('::-p-aria(Import unwanted)');
  await fill('Field of name', 'title');
  await panel.press('::-p-aria(Database)');
  await panel.press('[role="option"] ::-p-text(main)');
  await fillChoice('Collection', 'stock');
  await button('Start import');
  await panel.shows('2 documents added');
  await panel.press('::-p-text(Show stock)');
  await heading('stock');
  await panel.shows('Anchor');
  expect(await panel.page.$$eval('th button', titles => titles.map(({ textContent }) => textContent))).toEqual([
    '_id',
    'sku',
    'title',
    'note',
  ]);
});

it('in the panel, a developer imports a file into a new PostgreSQL table, and updates its rows by an import', async () => {
  const upload = async (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    await goTo('exporters?tab=imports');
    await panel.press('header ::-p-aria(Import a file[role="button"])');
    await chooseFile(path);
    await panel.press('[role="dialog"] button[type="submit"]');
    await heading(name);
  };
  const updateByPart = async () => {
    await panel.press('::-p-text(PostgreSQL)');
    await fillChoice('Table', 'moorings');
    // Until the table is known, the page moves.
    await panel.shows('Column of the table');
    await panel.press('::-p-text(Rows update those of the table)');
    await panel.press('::-p-aria(Key)');
    await panel.press('[role="option"] ::-p-text(part)');
    await panel.page.keyboard.press('Escape');
  };
  await upload('moorings.csv', 'part;length;note\nP1;12;\nP2;long;spare\n');
  await updateByPart();
  await panel.press('::-p-aria(Type of length)');
  await panel.press('::-p-aria(bigint[role="option"])');
  await button('Start import');
  await panel.shows('The import failed');
  expect(await layoutProblems(panel.page)).toEqual([]);
  await panel.press('::-p-aria(Leave out bad rows)');
  await button('Start import');
  await panel.shows('1 row added, 1 bad row left out');
  await upload('more.ndjson', '{"part":"P1","note":"worn"}\n{"part":"P3","note":"new"}\n');
  await updateByPart();
  await button('Start import');
  await panel.shows('1 row added, 1 updated');
  await panel.press('::-p-text(Show moorings)');
  await heading('moorings');
  await panel.shows('worn');
  const cells = await panel.page.$$eval('table tbody tr', rows =>
    rows.map(row => [...row.querySelectorAll('td')].map(({ textContent }) => textContent).join(' ')),
  );
  expect(cells.sort()).toEqual([expect.stringMatching(/P1.*12.*worn/), expect.stringMatching(/P3.*new/)]);
});

it('in the panel, a developer imports a login from a cookie file', async () => {
  const path = join(folder, 'cookies.txt');
  writeFileSync(path, 'shop.example\tFALSE\t/\tTRUE\t0\ttoken\tlantern-and-rope\n');
  await goTo('skripts/sessions');
  await panel.press('header ::-p-aria(Import a login[role="button"])');
  await fill('Name', 'shop');
  await fill('Sites', 'shop.example');
  await chooseFile(path);
  await button('Import login');
  await panel.shows('https://shop.example, 1 cookie');
  expect(await layoutProblems(panel.page)).toEqual([]);
});

it('in the panel, an administrator adds a user and a worker, and sees messages, runs and changes of others', async () => {
  const { username } = platform.credential('developer');
  const skriptId = await platform.skript('Seen by the administrator', { 'main.js': 'module.exports = async () => 1' });
  await platform.startRun(skriptId);
  const subject = `Question ${username}`;
  const message = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    country: 'Croatia',
    subject,
    x: 3,
    y: 4,
    result: '7',
  };
  const sent = await fetch(`${platform.url}/www/contact`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...message, msg: 'Which of it can you do? '.repeat(6) }),
  });
  expect(sent.status).toBe(200);

  const admin = new PanelPage();
  await admin.open(await panel.page.browser().createBrowserContext());
  try {
    await admin.signIn(platform, 'admin');
    const { page } = admin;
    const row = (text: string) =>
      page.waitForFunction(part => document.querySelector('tbody')?.textContent?.includes(part), {}, text);
    const goTo = (section: string) => admin.press(`nav ::-p-aria(${section}[role="link"])`);
    const filled = (label: string, text: string) => page.locator(`::-p-aria(${label}[role="textbox"])`).fill(text);

    await goTo('Users');
    await admin.button('New user');
    await filled('E-mail address', `new-${username}`);
    await admin.button('Create user');
    await page.locator('::-p-aria(Search by name)').fill(`new-${username}`);
    // Until the list is searched, the row and its menu move, so a click may miss.
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
    await admin.button(`More for new-${username}`);
    await admin.press('::-p-aria(Disable…[role="menuitem"])');
    await admin.press('[role="dialog"] .danger-button');
    await row('disabled');
    await admin.button(`More for new-${username}`);
    await admin.press('::-p-aria(Delete…[role="menuitem"])');
    await page.locator(`[role="dialog"] input`).fill(`new-${username}`);
    await admin.press('[role="dialog"] .danger-button');
    await admin.shows('No matching users');

    await goTo('Workers');
    await admin.button('New worker');
    await filled('Name', `for-${username.split('@')[0]}`);
    await admin.button('Create worker');
    await admin.shows('node worker/dist/main.js');
    await admin.button('I have saved it');
    await admin.button(`More for for-${username.split('@')[0]}`);
    await admin.press('::-p-aria(Delete…[role="menuitem"])');
    await page.locator(`[role="dialog"] input`).fill(`for-${username.split('@')[0]}`);
    await admin.press('[role="dialog"] .danger-button');
    await page.waitForFunction(part => !document.querySelector('tbody')?.textContent?.includes(part), {}, 'for-story');

    await goTo('Contact messages');
    await admin.button(subject);
    await admin.button('Delete');
    await admin.button('Delete message');
    await page.waitForFunction(part => !document.querySelector('main')?.textContent?.includes(part), {}, subject);
    await goTo('All runs');
    await row('Seen by the administrator');
    await row(username);
    await goTo('Audit log');
    await row('Delete a contact message');
    await goTo('Platform');
    await admin.shows('PostgreSQL');
    await admin.button('Start maintenance…');
    await admin.shows('Schedules do not fire');
    // Not on a platform that other tests use.
    await admin.button('Cancel');
    expect(admin.problems).toEqual([]);
  } finally {
    await admin.page.browserContext().close();
  }
});

it('the panel shows a developer no page of the administrators', async () => {
  const sections = readFileSync('panel/src/app/sections.tsx', 'utf8').split('slug: ');
  const slugs = sections.flatMap(text => (text.includes('forAdmins: true') ? [/'([^']+)'/.exec(text)?.[1]] : []));
  expect(slugs.length).toBeGreaterThan(4);
  for (const slug of isFullTest ? slugs : [slugs[testSeed % slugs.length]]) {
    await goTo(String(slug));
    await panel.shows('Page not found');
    await panel.page.goto(`${platform.url}/panel/admin/${slug}`);
    await panel.shows("This route is blocked because the user doesn't have valid role");
  }
});

it('in the panel, a developer adds a webhook, chooses a colour scheme, and changes the password', async () => {
  await goTo('account?tab=notifications');
  await panel.press('::-p-aria(New webhook[role="button"])');
  await fill('Name', 'Team chat');
  await fill('URL', 'https://example.com/trawl');
  await button('Create webhook');
  await button('I have saved it');
  await panel.shows('Team chat');
  await goTo('account');
  const scheme = () => panel.page.$eval('html', root => root.getAttribute('data-mantine-color-scheme'));
  // The choices move while the figures above them load, so a click may miss.
  const choose = (label: string, wanted: string) =>
    until(async () => {
      await panel.press(`::-p-text(${label})`);
      return (await scheme()) === wanted;
    }, `the ${wanted} scheme`);
  await choose('Dark', 'dark');
  await choose('As the system', 'light');

  const { username, password } = platform.credential('developer');
  await goTo('account?tab=security');
  await fill('Current password', password);
  await fill('New password', 'knots and buoys 7');
  await fill('New password again', 'knots and buoys 7');
  await button('Change password');
  await panel.shows('Your password is changed. Sign in with the new one.');
  await fill('Username or e-mail', username);
  await fill('Password', 'knots and buoys 7');
  await button('Sign in');
  await panel.page.waitForFunction(() => location.pathname.startsWith('/panel/developer/'));
});
