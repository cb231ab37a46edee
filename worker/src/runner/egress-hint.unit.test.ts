import { egressHint } from './egress-hint.js';

const failed = (code: string, address: string) => Object.assign(new Error('connect'), { code, address, port: 80 });

test.each([
  ['EHOSTUNREACH', '10.0.0.5'],
  ['EACCES', '::1'],
  ['ECONNREFUSED', '127.0.0.1'],
  ['EPERM', '169.254.169.254'],
])('%s from %s is explained', (code, address) => {
  expect(egressHint(failed(code, address))).toContain(`${address} is a loopback, private`);
});

test('it is found among causes and in what several addresses failed with', () => {
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
])('nothing is said of %s', thrown => {
  expect(egressHint(thrown)).toBeNull();
});

test('a circle of causes ends', () => {
  const error = new Error('round');
  error.cause = error;
  expect(egressHint(error)).toBeNull();
});
