import { egressHint } from './egress-hint.js';

const failed = (code: string, address: string) => Object.assign(new Error('connect'), { code, address, port: 80 });

test.each([
  ['EHOSTUNREACH', '10.0.0.5'],
  ['EACCES', '::1'],
  ['ECONNREFUSED', '127.0.0.1'],
  ['EPERM', '169.254.169.254'],
])('the runner explains a connection error %s from %s as a denied private address', (code, address) => {
  expect(egressHint(failed(code, address))).toContain(`${address} is a loopback, private`);
});

test('the hint about a denied address is found among causes and in an AggregateError', () => {
  const several = new AggregateError([failed('ETIMEDOUT', '8.8.8.8'), failed('EACCES', '::1')]);
  expect(egressHint(new TypeError('fetch failed', { cause: several }))).toContain('::1 is a loopback');
});

test.each([
  failed('ECONNREFUSED', '8.8.8.8'),
  failed('ECONNRESET', '127.0.0.1'),
  failed('EACCES', '/run/some.sock'),
  Object.assign(new Error('open'), { code: 'EACCES' }),
  null,
  'EACCES 127.0.0.1',
])('an error has no hint about a denied address: %s', thrown => {
  expect(egressHint(thrown)).toBeNull();
});

test('the search for a denied address stops at circular causes of an error', () => {
  const error = new Error('round');
  error.cause = error;
  expect(egressHint(error)).toBeNull();
});
