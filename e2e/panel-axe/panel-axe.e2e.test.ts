import type { Role } from '@trawl/contracts';
import { chromiumForFile } from '../harness/browser/chromium.js';
import { PanelPage } from '../harness/browser/panel-page.js';
import { Platform } from '../harness/platform.js';
import { routePaths, SCREENS } from './screens.js';
import { fillShop, openSite, type Shop } from './shop.js';
import { Visit } from './visit.js';

const chromium = chromiumForFile();
let site: Awaited<ReturnType<typeof openSite>>;
let platform: Platform;
let shop: Shop;

beforeAll(async () => {
  site = await openSite();
  platform = await Platform.start({ mayReach: [site.url] });
  shop = await fillShop(platform, site.url);
});
afterAll(async () => {
  await platform?.close();
  await site?.close();
});

it('each route of the panel has a screen in this test', () => {
  expect(Object.keys(SCREENS).sort()).toEqual(routePaths().sort());
});

describe.each<[string, Role | null]>([
  ['a developer', 'developer'],
  ['an administrator, who has no data', 'admin'],
  ['a visitor', null],
])('axe finds no problem, in light and dark, on desktop and phone, for %s', (_who, role) => {
  const panel = new PanelPage();
  const isSeen = (path: string) =>
    SCREENS[path]?.for === 'visitors'
      ? role === null
      : role === 'admin' || (role !== null && SCREENS[path]?.for !== 'admins');

  beforeAll(async () => {
    await panel.open(await chromium.browser.createBrowserContext());
    if (role !== null) await panel.signIn(platform, role);
  });
  afterAll(() => panel.page?.browserContext().close());

  it.each(routePaths().filter((path, index) => isSeen(path) && (isFullTest || index % 4 === testSeed % 4)))(
    'on %s',
    async path => {
      const { at, opens = [], adminOpens = [] } = SCREENS[path] ?? { at: () => [] };
      const found: string[] = [];
      const addresses = at(shop);
      for (const address of role === 'admin' ? addresses.slice(0, 1) : addresses) {
        const visit = new Visit(panel, address);
        const isFirst = address === addresses[0];
        // An administrator gets no thing of the developer by its id, so its screen says that it is missing.
        const buttons = role !== 'admin' ? opens : path.includes(':') ? [] : [...opens, ...adminOpens];
        await visit.page(`${platform.url}/panel/${role === null ? '' : `${role}/`}${address}`, isFirst ? buttons : []);
        found.push(...visit.found);
      }
      expect(found).toEqual([]);
      const isExpected = (problem: string) => role === 'admin' && problem.includes('404');
      expect(panel.problems.splice(0).filter(problem => !isExpected(problem))).toEqual([]);
    },
  );
});
