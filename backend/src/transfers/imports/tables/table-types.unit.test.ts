import { Decimal128, Double, Int32, Long } from 'bson';
import { ExactNumber } from '../../../data/storage/values/exact-json.js';
import { fitsTableGuess, guessTableType } from './table-types.js';

const CELLS = { isTable: true, mark: 'point' } as const;
const VALUES = { isTable: false } as const;

test.each([
  ['bigint', ['1'], ['2', '-7'], ['01234', '+385', '123456789012', '1.5', '-0', ' 1', true]],
  ['numeric', ['1.50'], ['2', '12345678901234567890.5'], ['01234', '+1', '1e5', '.5', 'NaN']],
  ['boolean', ['true'], ['FALSE'], ['yes', '1', 't']],
  ['date', ['2026-02-15'], ['1900-01-01'], ['today', '15.2.2026', '2026-2-5', '2026-02-31']],
  ['timestamptz', ['2026-02-15T09:30:00Z'], ['1815-12-10 00:00:00+00'], ['now', '2026-02-15', '2026-02-15T09:30:00']],
  ['timestamp', ['2026-02-15T09:30:00'], ['2026-02-15 09:30'], ['2026-02-15', '2026-02-15T09:30:00Z']],
  ['uuid', ['0123abcd-0000-0000-0000-000000000000'], [], ['{0123abcd-0000-0000-0000-000000000000}']],
  ['bytea', ['\\x00'], [], ['00', '\\000']],
  ['jsonb', ['{"a":1}'], ['[]'], ['7', 'null', '"007"']],
  ['text', ['x'], ['01234', '+1'], []],
])('for cells, the column type %s guessed from %j accepts %j, but not %j', (type, sample, good, bad) => {
  expect(guessTableType(sample, CELLS)).toBe(type);
  const fits = (value: unknown) => fitsTableGuess(type as 'text', value, CELLS);
  expect([...sample, ...good, '', undefined].filter(value => !fits(value))).toEqual([]);
  expect(bad.filter(fits)).toEqual([]);
});

test.each<[string, unknown[], unknown[], unknown[]]>([
  ['bigint', [1], [2, new ExactNumber('9007199254740993')], ['01234', '1', 1.5, new ExactNumber('1.0'), true]],
  ['numeric', [1, 1.5], [7, Decimal128.fromString('1.10'), new ExactNumber('12345678901234567890')], ['1.5']],
  [
    'double precision',
    [new Double(1.5)],
    [new Int32(5)],
    [Long.fromString('9007199254740993'), Decimal128.fromString('1.10')],
  ],
  ['date', ['2026-02-15'], [], ['tomorrow', new Date(0), 20_260_215]],
  ['boolean', [true], [false], ['true', 1]],
  ['jsonb', [{ a: 1 }, { $numberLong: '5' }], ['x', 7, []], []],
])('for documents, the column type %s guessed from %j accepts %j, but not %j', (type, sample, good, bad) => {
  expect(guessTableType(sample, VALUES)).toBe(type);
  const fits = (value: unknown) => fitsTableGuess(type as 'text', value, VALUES);
  expect([...sample, ...good, null].filter(value => !fits(value))).toEqual([]);
  expect(bad.filter(fits)).toEqual([]);
});
