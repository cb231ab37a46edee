import type { Role } from '@trawl/contracts';
import { chromiumForFile } from '../harness/browser/chromium.js';
import { PanelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { routePaths, SCREENS, type Screen } from './screens.js';
import { fillShop, openSite, type Shop } from './shop.js';
import { Visit } from './visit.js';

const chromium = chromiumForFile();
const platform = sharedPlatform();
let site: Awaited<ReturnType<typeof openSite>>;
let shop: Shop;

beforeAll(async () => {
  site = await openSite(await platform.reservedPort());
  shop = await fillShop(platform, site.url);
});
afterAll(() => site?.close());

it('each route of the panel has a screen in this test', () => {
  expect(Object.keys(SCREENS).sort()).toEqual(routePaths().sort());
});

describe.each<[string, Role | null, Screen['for'][]]>([
  ['a developer', 'developer', [undefined, 'both']],
  ['an administrator', 'admin', ['admins', 'both']],
  ['a visitor', null, ['visitors']],
])('axe finds no problem, in light and dark, on desktop and phone, for %s', (_who, role, kinds) => {
  const panel = new PanelPage();

  beforeAll(async () => {
    await panel.open(await chromium.browser.createBrowserContext());
    if (role !== null) await panel.signIn(platform, role);
  });
  afterAll(() => panel.page?.browserContext().close());

  const screens = Object.entries(SCREENS).filter(([, screen]) => kinds.includes(screen.for));
  const isSampled = (_: unknown, index: number) => isFullTest || role === null || index % 5 === testSeed % 5;
  it.each(screens.filter(isSampled))('on %s', async (_path, { at, opens = [], adminOpens = [] }) => {
    const found: string[] = [];
    for (const [index, address] of at(shop).entries()) {
      const visit = new Visit(panel, address);
      const url = `${platform.url}/panel/${role === null ? '' : `${role}/`}${address}`;
      if (index > 0) await visit.first(url);
      else await visit.all(url, role === 'admin' ? [...opens, ...adminOpens] : opens);
      found.push(...visit.found);
    }
    expect(found).toEqual([]);
    expect(panel.problems.splice(0)).toEqual([]);
  });
});
