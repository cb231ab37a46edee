import type { Role } from '@trawl/contracts';
import type { HTTPRequest } from 'puppeteer-core';
import { chromiumForFile } from '../harness/browser/chromium.js';
import { PanelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const chromium = chromiumForFile();
const platform = sharedPlatform();

/** An id that nothing has: the requests for it fail before the platform could say so. */
const ID = '01a21c62-0f73-73a9-95ca-35122b8a3de4';

const answer = (status: number, error_code: string, error_message: string) => (request: HTTPRequest) =>
  request.respond({
    status,
    contentType: 'application/json',
    body: JSON.stringify({ error_code, error_message, request_id: 'the-request' }),
  });

interface Failure {
  fail: (request: HTTPRequest) => Promise<void>;
  /** Part of the text that the panel shows. */
  text: string;
  /** Whether it helps to try again. */
  isPassing: boolean;
}

const FAILURES: Record<string, Failure> = {
  'an error of the platform': {
    fail: answer(500, 'internal_error', 'Trawl could not read the list.'),
    text: 'Trawl could not read the list.',
    isPassing: true,
  },
  'a refusal': {
    fail: answer(403, 'forbidden', 'Your role may not read this.'),
    text: 'Your role may not read this.',
    isPassing: false,
  },
  'an error page of a proxy': {
    fail: request => request.respond({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    text: 'Trawl cannot answer at the moment (status 502)',
    isPassing: true,
  },
  'no network': {
    fail: request => request.abort('internetdisconnected'),
    text: 'Trawl is unreachable.',
    isPassing: true,
  },
};

const LISTS: [path: string, what: string, role?: Role][] = [
  ['dashboard', 'The dashboard'],
  ['workers', 'The workers'],
  ['skripts', 'The skripts'],
  ['skripts/sessions', 'The sessions'],
  ['skripts/polite-domains', 'The domains'],
  ['skripts/queues', 'The queues'],
  [`skripts/queues/${ID}`, 'The queue'],
  ['skripts/proxies', 'The pools'],
  [`skripts/proxies/${ID}`, 'The pool'],
  [`skripts/${ID}`, 'The skript'],
  [`execute-skript?execution_id=${ID}`, 'The run'],
  ['skript-executions', 'The runs'],
  [`skript-executions/compare?one=${ID}&other=${ID}`, 'The run'],
  ['skript-executions/issues', 'The issues'],
  [`skript-executions/${ID}`, 'The run'],
  [`echoes?tab=saved&execution_id=${ID}`, 'The runs'],
  ['scheduler', 'The schedules'],
  [`scheduler/${ID}`, 'The schedule'],
  ['storage', 'The databases'],
  [`storage/${ID}`, 'The collections'],
  [`storage/${ID}/books`, 'The documents'],
  ['storage/tables/public/prices', 'The table'],
  ['exporters', 'The exports'],
  [`exporters/new?db_id=${ID}&collection=books`, 'The preview'],
  [`exporters/imports/${ID}`, 'The import'],
  ['joint-api', 'The API keys'],
  ['account', 'The quotas'],
  ['users', 'The users', 'admin'],
  ['all-runs', 'The runs', 'admin'],
  ['all-runs/issues', 'The issues', 'admin'],
  ['audit-log', 'The audit log', 'admin'],
  ['contact-messages', 'The messages', 'admin'],
  ['platform', 'The figures', 'admin'],
];

describe.each<[string, Role]>([
  ['a developer', 'developer'],
  ['an administrator', 'admin'],
])('the panel tells %s what could not be loaded and why, without a placeholder that stays', (_who, role) => {
  const panel = new PanelPage();
  let failure: Failure | undefined;

  beforeAll(async () => {
    await panel.open(await chromium.browser.createBrowserContext());
    await panel.signIn(platform, role);
    await panel.page.setRequestInterception(true);
    panel.page.on('request', request => {
      const isCall = /\/(joint-api|apps|www)\/|\/openapi\.json/.test(new URL(request.url()).pathname);
      void (isCall && failure ? failure.fail(request) : request.continue());
    });
  });
  afterAll(() => panel.page?.browserContext().close());
  beforeEach(() => {
    failure = undefined;
  });

  const cases = LISTS.filter(([, , of = 'developer']) => of === role).flatMap(([path, what], place) =>
    Object.keys(FAILURES)
      .filter((_, kind) => isFullTest || (place + testSeed) % 4 === kind)
      .map(kind => [path.replaceAll(ID, '…'), kind, path, what] as const),
  );
  it.each(cases)('on %s, after %s', async (_place, kind, path, what) => {
    failure = FAILURES[kind] as Failure;
    const { page } = panel;
    await page.goto(`${platform.url}/panel/${role}/${path}`);
    const alert = await page.waitForSelector(`main [role="alert"] ::-p-text(${what})`);
    expect(await alert?.evaluate(element => element.closest('[role="alert"]')?.textContent)).toContain(failure.text);
    await page.waitForFunction(
      () => !document.querySelector('main [aria-busy="true"], main .mantine-Skeleton-root, main .mantine-Loader-root'),
    );
    const retries = await page.$$('main [role="alert"] ::-p-text(Try again)');
    expect(retries.length > 0).toBe(failure.isPassing);
    if (!failure.isPassing || path.includes(ID) || path.includes('tables/')) return;
    failure = undefined;
    // Cards that failed for different reasons have a button each.
    for (const button of retries) await button.evaluate(element => element.closest('button')?.click());
    await page.waitForFunction(() => !document.querySelector('main [role="alert"]'));
  });
});
