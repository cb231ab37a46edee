import { isDatabaseUnavailable, isTemporaryFailure } from './postgres-errors.js';

const withCode = (code: string) => Object.assign(new Error('words'), { code });
const named = (name: string) => Object.assign(new Error('words'), { name });

it.each([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '53100', '08006', '08P01'].map(withCode),
  ...['QueryRunnerAlreadyReleasedError', 'QueryRunnerProviderAlreadyReleasedError'].map(named),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Client has encountered a connection error and is not queryable'),
])('the error %p means that PostgreSQL is unavailable', error => {
  expect(isDatabaseUnavailable(error)).toBe(true);
});

it.each([
  ...['23505', '57014', '22P02'].map(withCode),
  Object.assign(withCode('08P01'), { severity: 'ERROR' }),
  new TypeError('x is undefined'),
  'ECONNRESET',
  null,
])('the error %p does not mean that PostgreSQL is unavailable', error => {
  expect(isDatabaseUnavailable(error)).toBe(false);
});

it.each([...['53300', '40P01', '57014', '25006', 'ECONNREFUSED'].map(withCode)])('the error %p may pass', error => {
  expect(isTemporaryFailure(error)).toBe(true);
});

it.each([...['23505', '22P02'].map(withCode), new TypeError('x is undefined')])(
  'the error %p comes again each time',
  error => {
    expect(isTemporaryFailure(error)).toBe(false);
  },
);
