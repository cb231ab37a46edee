import { egressHint } from './egress-hint.js';

const failed = (code: string, address: string) => Object.assign(new Error('connect'), { code, address, port: 80 });

test.each([
  ['EHOSTUNREACH', '10.0.0.5'],
  ['EACCES', '::1'],
  ['ECONNREFUSED', '127.0.0.1'],
  ['EPERM', '169.254.169.254'],
])('explains %s from %s', (code, address) => {
  expect(egressHint(failed(code, address))).toContain(`${address} is a loopback, private`);
});

test('finds the error among causes and in an AggregateError', () => {
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
])('returns null for %s', thrown => {
  expect(egressHint(thrown)).toBeNull();
});

test('stops at circular causes', () => {
  const error = new Error('round');
  error.cause = error;
  expect(egressHint(error)).toBeNull();
});
