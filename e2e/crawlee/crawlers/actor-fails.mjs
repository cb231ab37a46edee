import { Actor } from 'apify';

await Actor.init();
const refused = [];
for (const call of [
  () => Actor.call('apify/web-scraper', {}),
  () => Actor.metamorph('apify/web-scraper'),
  () => Actor.createProxyConfiguration(),
  () => Actor.reboot(),
]) {
  await call().catch(error => refused.push(error.message));
}
await Actor.pushData({ refused });
await Actor.fail('The shop is closed');
