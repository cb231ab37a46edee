import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  EJSON,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import { stringify } from 'csv-stringify/sync';
import { ApiError } from '../../../platform/common/errors.js';
import { MAX_COLUMNS } from '../parsing/csv-rows.js';
import { parseExactJson } from '../parsing/json-rows.js';
import type { Source } from '../parsing/source.js';
import { documentReader, type Format, inspect, type Reading, readRows } from './rows.js';

const opened = (file: Buffer, size: number): Source => ({
  open: async function* () {
    for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
  },
  size: async () => file.length,
  slice: async (start, end) => file.subarray(start, end),
});

async function rowsOf(file: string | Buffer, wished: Partial<Reading> = {}, size = 3): Promise<unknown[]> {
  const reading: Reading = { format: 'csv', encoding: 'utf-8', delimiter: 'comma', header: false, ...wished };
  const { rows } = await readRows(opened(Buffer.from(file), size), reading);
  const found: unknown[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const DELIMITERS = [
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
  ['pipe', '|'],
] as const;

const inspected = (file: string, name = 'x', wished: Partial<Reading> = {}) =>
  inspect(opened(Buffer.from(file), 1_000), { name, encoding: 'utf-8' }, wished);

describe('a CSV file', () => {
  test.each([
    ['line feeds', 'a,b\nc,d\n'],
    ['carriage returns', 'a,b\rc,d\r'],
    ['both', 'a,b\r\nc,d\r\n'],
    ['a mixture', 'a,b\rc,d\n'],
    ['no line end after the last row', 'a,b\r\nc,d'],
    ['empty lines', '\n\na,b\n\n\nc,d\n\n'],
    ['quotes around everything', '"a","b"\n"c","d"'],
  ])('with %s is read', async (_, file) => {
    for (const size of [1, 2, 1_000]) {
      expect(await rowsOf(file, {}, size)).toEqual([
        ['a', 'b'],
        ['c', 'd'],
      ]);
    }
  });

  test.each([
    ['line ends, quotes and delimiters within quotes', '"a\r\n,""b"\n', [['a\r\n,"b']]],
    ['stray quotes', '5" pipe,"a"b,c"\n', [['5" pipe', '"a"b', 'c"']]],
    ['NUL', 'a\0b,\0\n', [['a\0b', '\0']]],
    ['one column with empty lines', 'a\n\nb\n', [['a'], [''], ['b']]],
    ['spaces', ' a , b\n', [[' a ', ' b']]],
    ['rows of different lengths', 'a,b\nc\nd,e,f\n', [['a', 'b'], ['c'], ['d', 'e', 'f']]],
  ])('keeps %s', async (_, file, rows) => {
    for (const size of [1, 1_000]) expect(await rowsOf(file, {}, size)).toEqual(rows);
  });

  test.each([
    ['a,b\n"c,d\ne,f\n', {}, 2, 2, 3],
    ['a,b\r\n"x\r\ny",1\r\n\r\n3,"c\r\nd\r\ne', {}, 5, 3, 7],
    ['a,b\r"x\ry",1\r3,"c\r', {}, 4, 1, 4],
    ['title\na,b\n1,"2\n3,4\n', { skip_lines: 1 }, 3, 2, 4],
    ['"a,b\n', {}, 1, 1, 1],
  ])('with an unclosed quote is refused with the place of the quote: %j', async (file, wished, from, lines, to) => {
    for (const size of [1, 2, 1_000]) {
      await expect(rowsOf(file, wished, size)).rejects.toThrow(
        `The file ends within quotes: the row that begins in line ${from} has a quote that is not closed, so its ${lines} lines up to line ${to},`,
      );
    }
  });

  test('with an unclosed quote is read up to the row with that quote', async () => {
    for (const size of [1, 100, 1_000]) {
      const { rows } = await readRows(opened(Buffer.from(`a,b\n${'1,2\n'.repeat(40)}"c,d\n`), size), {
        format: 'csv',
        encoding: 'utf-8',
        delimiter: 'comma',
        header: true,
      });
      let count = 0;
      const reading = (async () => {
        for await (const _ of rows) count += 1;
      })();
      await expect(reading).rejects.toThrow('in line 42 ');
      expect(count).toBe(40);
    }
  });

  test('that is cut off in its last row is refused', async () => {
    await expect(rowsOf('a,b\nc,d\ne')).rejects.toThrow('1 of 2 cells and no line end');
    expect(await rowsOf('a,b\nc,d\ne\r')).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('with too many cells or bytes in a row is refused', async () => {
    await expect(rowsOf(','.repeat(MAX_COLUMNS), {}, 1_000)).rejects.toThrow('cells');
    await expect(rowsOf(`"${'x'.repeat(17 * 1024 * 1024)}`, {}, 65_536)).rejects.toThrow('larger than');
  });

  test('with too many characters in its header is refused', async () => {
    await expect(rowsOf(`${'x'.repeat(600_000)},b\n`, { header: true }, 65_536)).rejects.toThrow('characters');
  });

  test('that is empty is refused; one that has only a header has no rows', async () => {
    await expect(rowsOf('')).rejects.toThrow('empty');
    expect(await rowsOf('a,b\n', { header: true })).toEqual([]);
  });

  test('with quotes, line ends and NUL in its cells is read exactly, for each delimiter', async () => {
    const rows = Array.from({ length: 50 }, (_, n) =>
      ['a,b', '"', '""', '\r', '\n', '\r\n', '', ' ', '\0', '=1+1', '🎣', `${n}`, '\ufeff', ';', '\t'].map(
        cell => cell + n,
      ),
    );
    for (const [delimiter, character] of DELIMITERS) {
      expect(await rowsOf(stringify(rows, { delimiter: character }), { delimiter }, 11)).toEqual(rows);
    }
  });
});

describe('the inspection of a file', () => {
  test.each([
    ['comma', 'a,b\n1;2,3\n1;2,3\n'],
    ['semicolon', 'a;b\n1,5;2\n1,5;2\n'],
    ['tab', 'a\tb\n1, 5\t2\n'],
    ['pipe', 'a|b|c\n1|2|3\n'],
    ['comma', 'one\ntwo\n'],
    ['semicolon', `"a,""b";${'c,d,'.repeat(5)}\n1;2\n3;4\n`],
  ])('guesses the delimiter %j', async (delimiter, file) => {
    expect((await inspected(file, 'x.csv')).reading.delimiter).toBe(delimiter);
  });

  test.each([
    ['csv', 'x.csv', '{"a":1}\n'],
    ['ndjson', 'x.jsonl', '{"a":1}\n'],
    ['json', 'x.json', ' [{"a":1}]'],
    ['ndjson', 'x.json', '{"a":1}\n'],
    ['csv', 'upload', 'a,b\n'],
  ])('guesses the format %s for the file name %s', async (format, name, file) => {
    expect((await inspected(file, name)).reading.format).toBe(format);
  });

  test('finds 5,000 columns in a header that is longer than the sample', async () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `a column with a long name ${n}`);
    const { columns } = await inspected(stringify([names, names.map((_, n) => String(n))]), 'x.csv');
    expect(columns).toHaveLength(5_000);
    expect(columns.at(-1)).toEqual({ index: 4_999, field: names.at(-1), type: 'number', guessed: true });
  });
});

describe.each(['ndjson', 'json'] as Format[])('a file in the format %s', format => {
  const file = (texts: string[]) => (format === 'json' ? `[${texts.join(',')}]` : texts.join('\n'));
  const documentsOf = async (texts: string[], size?: number) =>
    (await rowsOf(file(texts), { format }, size)).map(documentReader({ format }, [], 0));

  test('keeps integers exact: up to 64 bits as numbers, larger ones as text', async () => {
    const texts = [
      '{"a":9007199254740993,"b":[-9223372036854775808,9223372036854775808],"c":1.5,"d":"12345678901234567"}',
    ];
    for (const size of [1, 1_000]) {
      expect(await documentsOf(texts, size)).toEqual([
        {
          a: Long.fromString('9007199254740993'),
          b: [Long.MIN_VALUE, '9223372036854775808'],
          c: 1.5,
          d: '12345678901234567',
        },
      ]);
    }
  });

  test('may contain Extended JSON, Unicode and NUL', async () => {
    const [document] = await documentsOf(['{"d":{"$date":"2026-02-15T09:30:00Z"},"t":"\\u0000é🎣"}'], 1);
    expect(document).toEqual({ d: new Date('2026-02-15T09:30:00Z'), t: '\0é🎣' });
  });

  test.each([
    ['{"$where":1}', /begin with \$/],
    ['{"a.b":1}', /dot/],
    ['{"a":{"__proto__":1}}', /__proto__/],
    ['{"_bsontype":"Code"}', /_bsontype/],
    ['{"_id":null}', /^_id: must not be null/],
    ['{"":1}', /^"": a field name must not be empty/],
    ['[1]', /must be a JSON object/],
    ['7', /must be a JSON object/],
    ['null', /must be a JSON object/],
  ])('is refused with the row %s', async (text, reason) => {
    await expect(documentsOf([text])).rejects.toThrow(reason);
  });

  test('with rows nested deeper than 80 levels is refused', async () => {
    const deep = `{"a":${'['.repeat(8_000_000)}`;
    await expect(documentsOf([deep], 65_536)).rejects.toThrow('80 levels');
  });

  test('with a row that is too large is refused', async () => {
    await expect(documentsOf([`{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`], 65_536)).rejects.toThrow('larger than');
  });
});

test.each([
  ['', /empty/],
  ['{"a":1}', /ndjson/],
  ['[{"a":1},{"b":2', /The file ends within the JSON array, after 1 complete element\./],
  ['[', /after 0 complete elements/],
  ['[{"a":1}] x', /cannot be read/],
  ['[{"a":1},]', /cannot be read as a JSON array: [^.]+(?<! in state \w+)\. Correct/],
  ['[{"a":tru}]', /Unexpected "}" after 9 bytes\. Correct/],
])('%j is refused as a JSON array', async (file, reason) => {
  for (const size of [1, 1_000]) await expect(rowsOf(file, { format: 'json' }, size)).rejects.toThrow(reason);
});

const FOREIGN: [text: string, advice: RegExp][] = [
  ['{"a":NaN}', /^`NaN` is not JSON: write null, or put names and texts in double quotes\./],
  ['{"a":-Infinity,"b":1}', /^`-Infinity` is not JSON/],
  ['{"a":undefined}', /^`undefined` is not JSON/],
  ['{"a":nan}', /^`nan` is not JSON/],
  ['{"a":None}', /^`None` is not JSON/],
  ['{"é":ñandú}', /^`ñandú` is not JSON/],
  ['{price:1}', /^`price` is not JSON/],
  ["{'a':1}", /^JSON puts names and texts in double quotes/],
  ['{"a":“x”}', /^JSON puts names and texts in double quotes/],
  ['{"a":1 /* one */}', /^JSON has no comments/],
  ['// rows', /^JSON has no comments/],
  ['# rows', /^JSON has no comments/],
];
test.each(FOREIGN)('the error about %s says what to write in JSON instead', async (text, advice) => {
  expect(() => parseExactJson(text)).toThrow(advice);
  const inArray = new RegExp(`JSON array: .* after \\d+ bytes\\. ${advice.source.slice(1)}`);
  await expect(rowsOf(`[{"a":1},\n${text}]`, { format: 'json' }, 1_000)).rejects.toThrow(inArray);
});

test.each([
  ['\n\r\n', 'csv', {}, /^The file is empty: .* Upload a file with rows\.$/],
  ['\ufeff', 'csv', {}, /^The file is empty: /],
  [' \n', 'ndjson', {}, /^The file is empty: /],
  [' \n', 'json', {}, /^The file is empty: /],
  [
    'a\nb\n',
    'csv',
    { skip_lines: 5 },
    /^The file is empty below its 5 lines above the header\. Send a smaller `skip_lines`/,
  ],
] as const)('a file without rows is refused with what to do: %j as %s', (file, format, wished, message) =>
  expect(inspected(file, 'x', { format, ...wished })).rejects.toThrow(message),
);

describe('a file with one JSON object', () => {
  test.each([
    ['x.json', '{"rows":[{"a":1},{"a":2}],"total":2}\n'],
    ['upload', '{"total":2,"data":[{"a":1}]}'],
  ])('that holds the list is refused in %s, unless the user chooses the format ndjson: %s', async (name, file) => {
    const reading = inspected(file, name);
    await expect(reading).rejects.toThrow(
      /one JSON object, whose list `(rows|data)` has \d objects?\. .* upload the list/,
    );
    await expect(reading).rejects.toThrow(/choose the format ndjson/);
    expect((await inspected(file, name, { format: 'ndjson' })).sample).toHaveLength(1);
  });

  test.each([
    ['x.jsonl', '{"rows":[{"a":1},{"a":2}]}\n'],
    ['x.json', '{"rows":[{"a":1}]}\n{"rows":[{"a":2}]}\n'],
    ['x.json', '{"rows":[1,2],"none":[]}\n'],
    ['x.json', '{"rows":[{"a":1}]\n'],
  ])('is read as NDJSON if the name or content makes it a row (%s): %j', async (name, file) => {
    expect((await inspected(file, name)).reading.format).toBe('ndjson');
  });

  test.each(['{\n  "rows": [\n    { "a": 1 }\n  ]\n}\n', '{ "rows": [\n{"a":1}\n]}'])(
    'over several lines is refused, with what to do: %j',
    async file => {
      for (const wished of [{}, { format: 'ndjson' as const }]) {
        const reading = inspected(file, 'x.json', wished);
        await expect(reading).rejects.toThrow(/JSON over several lines.*upload the list alone.*in one line/);
      }
    },
  );

  test('is refused for the format json, with what to do', async () => {
    const reading = inspected('{"rows":[{"a":1}]}', 'x.json', { format: 'json' });
    await expect(reading).rejects.toThrow(/must be a JSON array\. If an object holds the list, upload the list alone/);
  });
});

test('an empty JSON array has no rows', async () => {
  expect(await rowsOf(' [ ] \n', { format: 'json' })).toEqual([]);
});

test('the error about incomplete JSON says that it is not JSON', () => {
  expect(() => parseExactJson('{"a":')).toThrow('not JSON');
});

test.each([
  ['marks', ['\ufeffa mark, and one \ufeff in the middle', '\ufeff', { '\ufeff': ['\ufeff\ufeff'] }]],
  ['marks in a long text', 'x'.repeat(4_095) + '\ufeff'.repeat(3_000)],
  ['other texts', ['👩‍👩‍👧‍👦'.repeat(500), '\u{10fffd}', '\u0000\u001f\u2028"\\', '\ud800', { '': -0 }]],
  ['a reserved name', JSON.parse('{"__proto__":{"a":1}}')],
])('a JSON value is read the same next to a long integer: %s', (_, value) => {
  const text = JSON.stringify(value);
  for (const json of [text, text.replaceAll('\ufeff', '\\ufeff')]) {
    const found = parseExactJson(`{"long":9007199254740993,"value":${json}}`);
    expect(found).toStrictEqual({ long: { $numberLong: '9007199254740993' }, value: JSON.parse(json) });
  }
});

describe('lines above the header of a CSV file', () => {
  test.each([
    ['sep=;\na;b\n1;2\n', 'semicolon', 1, ['a', 'b']],
    ['SEP=|\r\na|b\r\n1|2\r\n', 'pipe', 1, ['a', 'b']],
    ['sep=;', 'semicolon', 1, []],
    ['Sales of 2026\n\nname;price;shop\nx;1;y\nz;2;y\nu;3;y\n', 'semicolon', 2, ['name', 'price', 'shop']],
    ['Sales;;\nname;price;shop\nx;1;y\nz;2;y\nu;3;y\n', 'semicolon', 1, ['name', 'price', 'shop']],
    ['sep=,\nSales\nname,price\nx,1\nz,2\nu,3\n', 'comma', 2, ['name', 'price']],
    [',Sales,\nname,price,shop\nx,1,y\nz,2,y\nu,3,y\n', 'comma', 1, ['name', 'price', 'shop']],
    ['Population,,\ncity,2019,2020\nx,1,2\nz,2,3\nu,3,4\n', 'comma', 1, ['city', '2019', '2020']],
    [',price\n0,1\n1,2\n2,3\n3,4\n', 'comma', 0, ['', 'price']],
    [',name\na,x\nb,y\nc,z\nd,u\n', 'comma', 0, ['', 'name']],
    ['"","x"\n"1",5\n"2",6\n"3",7\n', 'comma', 0, ['', 'x']],
    ['name,,\nx,2.5,y\nz,3,y\nu,4,y\n', 'comma', 0, ['name', '', '']],
    ['day,\n2026-01-01,x\n2026-01-02,y\n2026-01-03,z\n', 'comma', 0, ['day', '']],
    ['a,b\n1,2\n', 'comma', 0, ['a', 'b']],
    ['n\n1\n2\n', 'comma', 0, ['n']],
    ['text\nhello, you\nhi there\n', 'comma', 0, ['text']],
    ['text\nhello,you\nhi,all\nso,long\nbye\n', 'comma', 0, ['text']],
    ['text\nhello,you\nhi,all\nso,long\nbye\nwell,then\nsee,you\n', 'comma', 0, ['text']],
    ['text\nhello, you\nhi, all\nso, long\nwell, then\nsee, you\n', 'comma', 0, ['text']],
    ['text\na,b\nc,d\ne,f\n', 'comma', 0, ['text']],
    ['Sales\n\nname;price\nx;1\nz;2\n\nu;3\ny;', 'semicolon', 2, ['name', 'price']],
    ['a,b,c\n1,2,x\n3\n', 'comma', 0, ['a', 'b', 'c']],
    ['name,price,shop\nx,,\ny,,\nz,,\n', 'comma', 0, ['name', 'price', 'shop']],
  ])('are found: %j', async (file, delimiter, skip_lines, names) => {
    if (names.length === 0) return expect(inspected(file, 'x.csv')).rejects.toThrow('empty');
    const found = await inspected(file, 'x.csv');
    expect([found.reading.delimiter, found.reading.skip_lines, found.names]).toEqual([delimiter, skip_lines, names]);
  });

  test('can be skipped by their number, across chunks and with all kinds of line ends', async () => {
    for (const size of [1, 2, 1_000]) {
      expect(await rowsOf('x\r\ny\rz\n\na,b\n', { skip_lines: 4 }, size)).toEqual([['a', 'b']]);
      expect(await rowsOf('x\r\n\ra,b\n', { skip_lines: 2 }, size)).toEqual([['a', 'b']]);
    }
    const { names } = await inspected('sep=;\na;b\n1;2\n', 'x.csv', { skip_lines: 0 });
    expect(names).toEqual(['sep=', '']);
  });
});

describe('Extended JSON', () => {
  const canonical = (document: object) => EJSON.stringify(document, { relaxed: false });
  const documents = {
    all: {
      _id: new ObjectId('0123456789abcdef01234567'),
      int: new Int32(-1),
      double: new Double(1),
      nan: new Double(Number.NaN),
      long: Long.fromString('9007199254740993'),
      small: Long.fromNumber(7),
      decimal: Decimal128.fromString('0.10'),
      date: new Date(-1),
      far: new Date(8_640_000_000_000_000),
      uuid: new UUID('019a2b3c-4d5e-4f60-8a1b-2c3d4e5f6071'),
      bytes: new Binary(Buffer.from([0, 255]), 5),
      stamp: new Timestamp({ t: 1, i: 4_294_967_295 }),
      pattern: new BSONRegExp('^a/b', 'im'),
      code: new Code('f()'),
      scoped: new Code('f()', { n: new Int32(1) }),
      symbol: new BSONSymbol('s'),
      ref: new DBRef('c', new ObjectId('0123456789abcdef01234567'), 'd'),
      min: new MinKey(),
      max: new MaxKey(),
      inner: [null, { text: '$oid', at: [new Date(0)] }],
      isbn: '9781314196702',
    },
  };

  test.each(Object.entries(documents))('in canonical form keeps all types (%s)', (_, document) => {
    const read = documentReader({ format: 'extjson' }, [], 0)(canonical(document));
    expect(canonical(read)).toBe(canonical(document));
  });

  test('in relaxed form keeps all types except those of numbers', () => {
    const { all } = documents;
    const read = documentReader({ format: 'extjson' }, [], 0)(EJSON.stringify(all, { relaxed: true }));
    expect(EJSON.stringify(read, { relaxed: true })).toBe(EJSON.stringify(all, { relaxed: true }));
    expect(read._id).toEqual(all._id);
    expect(read.date).toEqual(all.date);
  });

  test.each([
    '{"a":{"$oid":"x"}}',
    '{"a":{"$date":"today"}}',
    '{"a":{"$date":"2026-02-30T00:00:00Z"}}',
    '{"$a":1}',
    '{"a":{"$undefined":true}}',
    '{"a":[{"$dbPointer":{"$ref":"c","$id":{"$oid":"0123456789abcdef01234567"}}}]}',
    '{"a":{"__proto__":1}}',
    '{"a":{"$numberLong":"1.5"}}',
  ])('that is malformed is refused: %s', line =>
    expect(() => documentReader({ format: 'extjson' }, [], 0)(line)).toThrow(ApiError),
  );

  test('is recognised in a file by its types', async () => {
    expect((await inspected('{"_id":{"$oid":"0123456789abcdef01234567"}}\n', 'x.ndjson')).reading.format).toBe(
      'extjson',
    );
    expect((await inspected('{"a":{"$date":"2026-01-01T00:00:00Z"}}\n', 'x')).reading.format).toBe('extjson');
    expect((await inspected('{"a":1}\n', 'x.ndjson')).reading.format).toBe('ndjson');
  });
});
