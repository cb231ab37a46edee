import { AllowList, isAllowed, parseAllowed } from './allow-list.js';

test('TRAWL_EGRESS_ALLOW may contain names, addresses and networks, each with a port', () => {
  expect(parseAllowed(' Shop.Internal:8080, 10.1.0.0/16:443,[::1]:3001,[fd00::/8]:5432 ,127.0.0.1:3001,')).toEqual([
    { name: 'shop.internal', port: 8080 },
    { network: '10.1.0.0/16', port: 443 },
    { network: '::1/128', port: 3001 },
    { network: 'fd00::/8', port: 5432 },
    { network: '127.0.0.1/32', port: 3001 },
  ]);
  expect(parseAllowed('')).toEqual([]);
});

test.each([
  'shop.internal',
  '127.0.0.1',
  '10.0.0.0/33:80',
  '10.0.0.0/8/8:80',
  '10.0.0.0/-1:80',
  '::1:80',
  '[10.0.0.1]:80',
  '[fd00::/129]:80',
  'a b:80',
  'shop.internal/8:80',
  '127.1:80',
  '10.0.0.256:80',
  '*:80',
  'shop:0',
  'shop:65536',
  'http://shop:80',
  'shop:80; flush ruleset',
])('an invalid entry of TRAWL_EGRESS_ALLOW is an error that quotes the entry: %s', entry => {
  expect(() => parseAllowed(`127.0.0.1:3001,${entry}`)).toThrow(`"${entry}" is not host:port or cidr:port`);
});

test('an entry of the egress allow list allows exactly its network and its port', () => {
  const networks = [
    { network: '127.0.0.1/32', port: 3001 },
    { network: '10.1.0.0/16', port: 443 },
    { network: 'fd00::/8', port: 443 },
  ];
  for (const [address, port, expected] of [
    ['127.0.0.1', 3001, true],
    ['127.0.0.1', 3002, false],
    ['127.0.0.2', 3001, false],
    ['10.1.255.1', 443, true],
    ['10.2.0.1', 443, false],
    ['fd12::1', 443, true],
    ['::1', 3001, false],
    ['::ffff:127.0.0.1', 3001, false],
    ['localhost', 3001, false],
    ['', 443, false],
  ] as const) {
    expect([address, port, isAllowed(networks, address, port)]).toEqual([address, port, expected]);
  }
});

test('the egress allow list resolves names to addresses, and reports names that have no address', async () => {
  const unknown: string[] = [];
  const list = new AllowList(parseAllowed('localhost:3001,nowhere.invalid:80'), name => unknown.push(name));
  await list.refresh();
  expect(list.networks).toContainEqual({ network: '127.0.0.1/32', port: 3001 });
  expect(list.networks.every(({ port }) => port === 3001)).toBe(true);
  expect(unknown).toEqual(['nowhere.invalid']);
});
