import { layoutProblems, PHONE, schemeProblems } from '../harness/browser/accessibility.js';
import { panelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const FILLS = `const { queue } = require('@trawl/storage');
module.exports = async () => {
  const pages = queue('shop-pages');
  await pages.add([1, 2, 3, 4].map(page => 'https://shop.example/books?page=' + page));
  await pages.add('https://port.example:8080/a-rather-long-address-of-a-page-of-the-port/with-more-of-it/and-more?of=rope');
  for (const request of (await pages.takeNow(3)).requests) {
    if (request.url.endsWith('=1')) await pages.done(request);
    else await pages.failed(request, new Error('The page has no price.'));
  }
};`;

const platform = sharedPlatform();
const panel = panelPage('queues');

it('in the panel, a developer sees what failed in a queue by host, and puts it back', async () => {
  const skript = await platform.skript('Fills a queue', { 'main.js': FILLS });
  expect(await platform.ended(await platform.begin(skript))).toMatchObject({ action: 'end', error_stack: null });
  await panel.signIn(platform);
  await panel.page.goto(`${platform.url}/panel/developer/skripts`);
  await panel.button('Crawling');
  await panel.press('::-p-aria(Queues[role="menuitem"])');
  await panel.page.waitForSelector('::-p-aria(shop-pages[role="link"])');
  expect(await schemeProblems(panel.page)).toEqual([]);
  await panel.press('::-p-aria(shop-pages[role="link"])');
  await panel.shows('port.example:8080');
  await panel.shows('The page has no price.');
  expect(await schemeProblems(panel.page)).toEqual([]);
  expect(await layoutProblems(panel.page)).toEqual([]);
  await panel.button('Retry failed requests of shop-pages');
  await panel.shows('2 requests of shop-pages will be tried again by the next run.');
  await panel.page.setViewport(PHONE);
  expect(await layoutProblems(panel.page)).toEqual([]);
});
