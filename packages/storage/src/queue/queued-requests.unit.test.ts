import { encodeRequests, idOf } from './queued-requests.js';

const idsOf = (...urls: string[]) =>
  encodeRequests(urls, 'pages')
    .flat()
    .map(({ fingerprint }) => idOf(fingerprint));

it('addresses that differ in the fragment or the order of the parameters are the same request', () => {
  const same = [
    ['https://shop.example/list', 'HTTPS://SHOP.example:443/list#', 'https://shop.example/list#top'],
    ['https://shop.example/?a=1&b=2', 'https://shop.example/?b=2&a=1#top'],
  ];
  for (const urls of same) expect(new Set(idsOf(...urls)).size).toBe(1);
  expect(new Set(idsOf('https://shop.example/?a=1', 'https://shop.example/?a=2', 'https://shop.example/')).size).toBe(
    3,
  );
});

it('the id of an address stays the same, because queues keep it', () => {
  expect(idsOf('https://shop.example/list?page=2')).toEqual(['b0dd3ccb-9bd5-1a76-8c68-87fb1f5029bd']);
});
