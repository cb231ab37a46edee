import { Long, ObjectId } from 'bson';
import { UNSAVED_FORMULA } from '../parsing/xlsx/unsaved-formula.js';
import { valuesReader } from '../tables/table-values.js';
import { type CellType, guessType, parserOf } from './cell-types.js';
import { checkColumns, documentMaker, suggestColumns } from './columns.js';

describe('the guessed type of a column', () => {
  test.each<[CellType, string, string[]]>([
    ['number', 'price', ['1', '-2', '3.50', '0', '']],
    ['number', 'large', ['12345678901', '-99999999999']],
    ['text', 'isbn', ['9781314196702', '9780141439518']],
    ['text', 'telephone', ['+49301234567']],
    ['text', 'too large', ['9223372036854775808']],
    ['text', 'postcode', ['10115', '01067']],
    ['text', 'separators', ['1,234', '5,678']],
    ['text', 'decimal commas', ['1,5']],
    ['text', 'phone', ['+4930123']],
    ['text', 'article', ['12e4']],
    ['text', 'negative zero', ['-0']],
    ['text', 'many digits', ['0.1234567890123456789']],
    ['text', 'spaces', [' 1']],
    ['boolean', 'sold', ['true', 'FALSE', '']],
    ['text', 'yes', ['yes', 'no']],
    ['date', 'at', ['2026-02-15T09:30:00Z', '2026-02-15T09:30:00.123+01:00']],
    ['text', 'microseconds', ['2026-02-15T09:30:00.123456Z']],
    ['text', 'local', ['2026-02-15T09:30:00']],
    ['text', 'day', ['2026-02-15']],
    ['text', 'slashes', ['01/02/2026']],
    ['text', 'no such day', ['2026-02-31T09:30:00Z']],
    ['json', 'tags', ['["a"]', '{"b":1}']],
    ['text', 'braces', ['{not json}']],
    ['text', 'empty', ['', '']],
    ['object_id', '_id', ['65cdf0c2a1b2c3d4e5f60718']],
    ['text', 'hex', ['65cdf0c2a1b2c3d4e5f60718']],
    ['text', 'mixed', ['1', 'x']],
  ])('is %s for %s', (type, field, cells) => {
    expect(guessType(field, cells)).toBe(type);
  });
});

test('decimal commas are guessed as numbers only if the user chose them', () => {
  expect(guessType('price', ['1,5', '1.234,00', '7'], 'comma')).toBe('number');
  expect(guessType('price', ['1.5'], 'comma')).toBe('text');
});

test('a formula without a saved value makes its row bad, and does not change the type of its column', () => {
  const columns = suggestColumns(['n'], [[UNSAVED_FORMULA], [1.5]]);
  expect(columns).toEqual([{ index: 0, field: 'n', type: 'number', guessed: true }]);
  expect(() => documentMaker(columns)([UNSAVED_FORMULA])).toThrow(/^n: .*formula without a saved value\. Open the/);
  const reading = { format: 'xlsx', encoding: 'utf-8', delimiter: 'comma', header: true } as const;
  const toValues = valuesReader(reading, ['n'], [{ index: 0, field: 'n', type: 'numeric', kind: 'number' }], []);
  expect(() => toValues([UNSAVED_FORMULA])).toThrow(/^n: .*formula without a saved value/);
});

describe('a cell', () => {
  test('with a megabyte of digits before a letter is refused without slow backtracking', () => {
    expect(() => parserOf('number')(`${'1'.repeat(1_000_000)}x`)).toThrow();
  });

  test.each<[CellType, string, unknown]>([
    ['number', ' +007.50 ', 7.5],
    ['number', '2147483647', 2_147_483_647],
    ['number', '3000000000', Long.fromNumber(3_000_000_000)],
    ['number', '-9007199254740993', Long.fromString('-9007199254740993')],
    ['number', '000012345678901', Long.fromString('12345678901')],
    ['number', '1e3', 1_000],
    ['boolean', 'True', true],
    ['date', '2026-02-15', new Date('2026-02-15T00:00:00Z')],
    ['date', '2026-02-15 09:30', new Date('2026-02-15T09:30:00Z')],
    ['date', '2026-02-15T09:30:00+02:00', new Date('2026-02-15T07:30:00Z')],
    ['object_id', '65CDF0C2a1b2c3d4e5f60718', new ObjectId('65cdf0c2a1b2c3d4e5f60718')],
    ['json', '{"a":[9007199254740993]}', { a: [Long.fromString('9007199254740993')] }],
    ['text', ' a\0 ', ' a\0 '],
    ['text', '', ''],
    ['number', ' ', undefined],
  ])('of the type %s is converted: %j', (type, text, value) => {
    expect(parserOf(type)(text)).toEqual(value);
  });

  test.each<[CellType, string]>([
    ['number', '1,234'],
    ['number', 'NaN'],
    ['number', '0x10'],
    ['number', '1e999'],
    ['number', '9223372036854775808'],
    ['boolean', '1'],
    ['date', '2026-02-30'],
    ['date', '15.2.2026'],
    ['date', '2026-13-01T00:00:00Z'],
    ['object_id', 'xyz'],
    ['json', '{'],
    ['json', '{"$where":1}'],
    ['json', '{"a":{"__proto__":1}}'],
  ])('that is no %s is refused: %j', (type, text) => {
    expect(() => parserOf(type)(text)).toThrow();
  });

  test.each([
    ['1,5', 1.5],
    ['-1.234.567,25', -1_234_567.25],
    ['1.234', 1_234],
    [',5', 0.5],
    ['1,5e3', 1_500],
    ['9.007.199.254.740.993', Long.fromString('9007199254740993')],
  ])('with a decimal comma is converted to a number: %s', (text, value) => {
    expect(parserOf('number', 'comma')(text)).toEqual(value);
  });

  test.each(['1.5', '1,234.5', '1,2,3', '1.23,4', '.5'])('is refused as a number with decimal comma: %s', text => {
    expect(() => parserOf('number', 'comma')(text)).toThrow('is not a number such as 1234,5');
  });
});

describe('the field names that Trawl suggests', () => {
  const fieldsFor = (...names: string[]) => suggestColumns(names, []).map(({ field }) => field);

  test('are valid and different, whatever the header says', () => {
    const names = [
      'a',
      'a',
      'a',
      '',
      ' ',
      '$set',
      '$$x.$y',
      'x..y',
      '.z',
      '__proto__',
      '_bsontype',
      'b\0c',
      '_id.x',
      'a.b',
    ];
    const fields = fieldsFor(...names, 'constructor', 'toString.x');
    expect(new Set(fields).size).toBe(fields.length);
    const columns = fields.map((field, index) => ({ index, field, type: 'text' }));
    expect(checkColumns(columns, suggestColumns(fields, []))).toEqual(columns);
    expect(fields.slice(0, 6)).toEqual(['a', 'a_2', 'a_3', 'column_4', 'column_5', 'set']);
  });

  test('keep dotted paths, unless a part is the field of another column', () => {
    expect(fieldsFor('address.city', 'address.zip', 'address')).toEqual(['address.city', 'address.zip', 'address_2']);
    expect(fieldsFor('a', 'a.b')).toEqual(['a', 'a_b']);
  });
});

describe('columns of a request', () => {
  const column = (more: object) => ({ index: 0, field: 'a', type: 'text', ...more });

  test.each([
    [[], 'columns'],
    ['x', 'columns'],
    [[null], 'columns.0.index'],
    [[column({ index: 2 })], 'columns.0.index'],
    [[column({}), column({ field: 'b' })], 'columns.1.index'],
    [[column({}), column({ index: 1 })], 'columns.1.field'],
    [[column({}), column({ index: 1, field: 'a.b' })], 'columns.1.field'],
    [[column({ field: 'a.b' }), column({ index: 1, field: 'a' })], 'columns.1.field'],
    [[column({ field: '$a' })], 'columns.0.field'],
    [[column({ field: 'a..b' })], 'columns.0.field'],
    [[column({ field: 'a.__proto__' })], 'columns.0.field'],
    [[column({ field: 'a\0' })], 'columns.0.field'],
    [[column({ field: '_id.x' })], 'columns.0.field'],
    [[column({ field: 'a.'.repeat(90) })], 'columns.0.field'],
    [[column({ type: 'money' })], 'columns.0.type'],
    [[column({ extra: 1 })], 'columns.0'],
  ])('are refused with the invalid part: %j, %s', (sent, named) => {
    expect(() => checkColumns(sent, suggestColumns(['a', 'b'], []))).toThrow(`${named}:`);
  });
});

describe('a column whose type Trawl guessed', () => {
  test.each<[unknown[], unknown]>([
    [['1', '2.5'], '01234'],
    [['1'], '+385'],
    [['1'], '123456789012345'],
    [['1'], '1e5'],
    [['1'], ' 1'],
    [['1'], '-0'],
    [['1.5'], '0.1234567890123456789'],
    [['true'], 'yes'],
    [['2026-02-15T09:30:00Z'], '2026-02-15'],
    [['2026-02-15T09:30:00Z'], '2026-02-15 09:30'],
    [['2026-02-15T09:30:00Z'], '2026-02-15T09:30:00.123456Z'],
    [['{"a":1}'], '7'],
    [['["a"]'], '"007"'],
    // Cells of a workbook.
    [[1, 2], '01234'],
    [[1, 2], true],
    [[1, 2], new Date(0)],
    [[new Date(0)], 45_000],
    [[new Date(0)], '2026-02-15'],
    [[true], 1],
  ])('after %j refuses %j, which it converts if the user chose the type', (sample, late) => {
    const suggested = suggestColumns(
      ['a'],
      sample.map(cell => [cell as string]),
    );
    expect(suggested[0]).toMatchObject({ guessed: true });
    const make = documentMaker(checkColumns([{ index: 0, field: 'x' }], suggested));
    for (const cell of [...sample, '']) expect(() => make([cell as string])).not.toThrow();
    expect(() => make([late as string])).toThrow(/^x: /);
    expect(() => make([late as string])).toThrow(/Choose the type text for this column|is not/);
    const { type } = suggested[0] as { type: string };
    const chosen = checkColumns([{ index: 0, field: 'x', type }], suggested);
    expect(chosen[0]).not.toHaveProperty('guessed');
  });

  test('refuses a late cell with the advice to choose the type', () => {
    const make = documentMaker(suggestColumns(['zip'], [['10000']]));
    expect(() => make(['01234'])).toThrow(
      'zip: "01234" does not say clearly that it is of the type number, which Trawl guessed from the first rows. Choose the type text for this column.',
    );
  });

  test('does not occur if the file declares the types', () => {
    expect(suggestColumns(['a'], [], 'point', ['number'])[0]).not.toHaveProperty('guessed');
  });
});

test('a document gets nested fields, and no field for an empty cell unless that is text', () => {
  const make = documentMaker([
    { index: 0, field: 'address.city', type: 'text' },
    { index: 2, field: 'address.geo.lat', type: 'number' },
    { index: 1, field: '_id', type: 'text' },
    { index: 3, field: 'constructor.prototype', type: 'text' },
  ]);
  expect(make(['', '', '1.5', 'x'])).toEqual({
    address: { city: '', geo: { lat: 1.5 } },
    constructor: { prototype: 'x' },
  });
  expect(make(['Zagreb', 'k', '', ''])).toEqual({
    address: { city: 'Zagreb' },
    _id: 'k',
    constructor: { prototype: '' },
  });
  expect(({} as { prototype?: unknown }).prototype).toBeUndefined();
  expect(() => make(['', '', 'x', ''])).toThrow('address.geo.lat: "x" is not a number');
});
