import { isDatabaseAway } from './database-away.js';

const withCode = (code: string) => Object.assign(new Error('words'), { code });
const named = (name: string) => Object.assign(new Error('words'), { name });

it.each([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '08006', '08P01'].map(withCode),
  ...['QueryRunnerAlreadyReleasedError', 'QueryRunnerProviderAlreadyReleasedError'].map(named),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Client has encountered a connection error and is not queryable'),
])('%p: PostgreSQL cannot be reached', error => {
  expect(isDatabaseAway(error)).toBe(true);
});

it.each([withCode('23505'), withCode('57014'), withCode('22P02'), new TypeError('x is undefined'), 'ECONNRESET', null])(
  '%p is something else',
  error => {
    expect(isDatabaseAway(error)).toBe(false);
  },
);
