import { resolversIn, sortExceptions } from './exceptions.js';

test('runs reach allowed loopback addresses and resolvers through the relay, and other addresses directly', () => {
  const networks = [
    { network: '127.0.0.1/32', port: 3001 },
    { network: '::1/128', port: 3001 },
    { network: '10.1.0.0/16', port: 443 },
  ];
  expect(sortExceptions(networks, ['127.0.0.53', '10.0.0.2'])).toEqual({
    allowed: [{ network: '10.1.0.0/16', port: 443 }],
    resolvers: ['10.0.0.2'],
    targets: [
      { protocol: 'tcp', address: '127.0.0.1', port: 3001 },
      { protocol: 'tcp', address: '127.0.0.53', port: 53 },
      { protocol: 'udp', address: '127.0.0.53', port: 53 },
    ],
  });
});

test('the egress allow list refuses a network of loopback addresses, as the relay needs single addresses', () => {
  expect(() => sortExceptions([{ network: '127.0.0.0/8', port: 80 }], [])).toThrow('127.0.0.0/8');
});

test('the worker takes DNS resolvers with IPv4 addresses from resolv.conf, and refuses one with only IPv6', () => {
  expect(resolversIn('# x\nnameserver fe80::1%eth0\nnameserver 10.0.0.2\nnameserver 127.0.0.53\n')).toEqual([
    '10.0.0.2',
    '127.0.0.53',
  ]);
  expect(resolversIn('search example.com\n')).toEqual(['127.0.0.1']);
  expect(() => resolversIn('nameserver fe80::1%eth0\n')).toThrow('IPv6');
});
