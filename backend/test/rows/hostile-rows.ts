import { Binary, DBRef, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';

/** Texts that files and programs are prone to change. */
export const HOSTILE_TEXTS = [
  '',
  '"quoted", and; \t tab',
  'a\nb\rc\r\nd\u2028e\u2029f\u0085',
  'NUL \0 in it',
  "=cmd|'/c calc'!A1",
  '+1',
  '-1',
  '@x',
  '000123',
  '12345678901234567890',
  '1e5',
  'שלום \u202eRTL',
  '👩‍👩‍👧‍👦 \u{1f600} \u{20000} \u{e0041} \u{10fffd}',
  'null',
  'NaN',
  '_x0041_ &lt;<b>',
  ' spaces ',
  "'apostrophe",
  '\ufeffmark \ufeff',
  '\\N \\x00 {a,b}',
  '2026-02-15',
];
/** Values of `jsonb` that files and programs are prone to change. */
const HOSTILE_JSON = [
  '{"n": 12345678901234567890, "d": [1.10, 0.1234567890123456789, 100.0, 9223372036854775807], "e": -0.000000000001}',
  '1.10',
  '12345678901234567890',
  '1e400',
  '-5',
  'true',
  'null',
  '"null"',
  '"\\"q\\""',
  '""',
  '"123"',
  '"=1+1"',
  '"a\\nb \\\\"',
  '[[], {"isLosslessNumber": true, "value": "}"}, {"text": "1.10"}]',
  '{"a": null, "": {"b.c": [1.0, ""]}}',
];
const COLUMNS = 58;
const LONGEST_CELL = 'ž'.repeat(32_767);

const of = <T>(values: T[], n: number): T => values[n % values.length] as T;

/**
 * A document of 58 fields; `n` decides which hostile values it has, so that neighbours differ. All formats can have the
 * names of its fields.
 */
export function hostileDocument(n: number): Record<string, unknown> {
  const document: Record<string, unknown> = {
    _id: of([new ObjectId(), `own-${n}`, new Int32(n)], n),
    int: new Int32(n - 7),
    long: Long.fromString(
      of(['9223372036854775807', '-9223372036854775808', '9007199254740993', '-9007199254740993'], n),
    ),
    whole: new Double(n),
    double: new Double(of([0.1, -0, 5e-324, 1 / 3, -123_456.789, 42], n)),
    odd: new Double(of([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e21, 1.5e308], n)),
    price: Decimal128.fromString(of(['12.50', '-0.10', '0', '123456789012.345'], n)),
    decimal: Decimal128.fromString(of(['-0.10', '1234567890123456789012345678901234', 'NaN', '1E+6144'], n)),
    yes: n % 2 === 0,
    nothing: null,
    time: new Date(of([0, 1, Date.UTC(1900, 2, 1), Date.UTC(2026, 1, 15, 9, 30, 0, 123), 253_402_300_799_999], n)),
    far_time: new Date(of([-2_208_988_800_001, Date.UTC(1815, 11, 10), Date.UTC(12_000, 0)], n)),
    bytes: new Binary(Buffer.from([0, 255, n % 256])),
    uuid: new Binary(Buffer.alloc(16, n % 256), Binary.SUBTYPE_UUID),
    stamp: new Timestamp({ t: n, i: 1 }),
    reference: new DBRef('books', new ObjectId(Buffer.alloc(12, n % 256))),
    list: [new Int32(1), null, 'x', [], {}, [new Double(1.5)], ''],
    empty: {},
    nested: { deep: { price: new Int32(n), text: of(HOSTILE_TEXTS, n) }, also: [{ a: new Double(-0) }] },
    long_text: n % 1_000 === 5 ? LONGEST_CELL : 'short',
  };
  if (n % 4 === 0) document.missing = 'here';
  for (let index = 0; Object.keys(document).length < COLUMNS; index += 1) {
    document[`t${index}`] = of(HOSTILE_TEXTS, n + index);
  }
  return document;
}

export const HOSTILE_TABLE_TEXTS = 34;

/** SQL that creates a table of 58 columns with hostile values. PostgreSQL has no character NUL. */
export function hostileTable(name: string, rows: number): string {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const pick = (values: string[], type: string, shift = 0) =>
    `(ARRAY[${values.join(', ')}]::${type}[])[1 + (n + ${shift}) % ${values.length}]`;
  const texts = HOSTILE_TEXTS.map(text => (text.includes('\0') ? 'NULL' : literal(text)));
  const columns = [
    'n AS id',
    `${pick(['9223372036854775807', '-9223372036854775808', '9007199254740993', 'NULL'], 'bigint')} AS big`,
    '(n % 30000)::smallint AS small',
    `(n * 1.5 - 7)::numeric(12,2) AS price`,
    `${pick(['0.10', "'123456789012345678901234567890.5'", '-0.000001', 'NULL', "'NaN'"], 'numeric')} AS free`,
    `${pick(["'1815-12-10'", "'12000-01-01'", "'2026-02-15'", 'NULL', "'0001-01-01'", "'infinity'"], 'date')} AS day`,
    `${pick(["'1815-12-10T00:00:00Z'", "'12000-01-01T00:00:00Z'", "'2026-02-15T09:30:00.123Z'", 'NULL'], 'timestamptz')} AS at`,
    `${pick(["'1815-12-10 00:00:00'", "'12000-01-01 00:00:00'", "'2026-02-15 09:30:00.5'", 'NULL'], 'timestamp')} AS local`,
    `${pick(["'2026-02-15T09:30:00.000256Z'", "'1969-12-31T23:59:59.999999Z'"], 'timestamptz')} AS micro`,
    'CASE n % 3 WHEN 0 THEN true WHEN 1 THEN false END AS yes',
    `${pick(['0.1', "'NaN'", "'Infinity'", "'-Infinity'", "'-0'", "'5e-324'", 'NULL'], 'double precision')} AS ratio`,
    `${pick(["'\\x00ff'", "''", 'NULL'], 'bytea')} AS raw`,
    `${pick([`'{"a": {"b": [1, null, "ž"]}, "": 1.5}'`, `'[]'`, "'{}'", 'NULL'], 'jsonb')} AS doc`,
    `${pick([...HOSTILE_JSON.map(literal), 'NULL'], 'jsonb')} AS exact`,
    `CASE n % 3 WHEN 0 THEN ARRAY['a,b', NULL, '"', ''] WHEN 1 THEN ARRAY[]::text[] END AS tags`,
    `md5(n::text)::uuid AS key`,
    'NULL::text AS nothing',
    `(n || ' s')::interval AS pause`,
    `CASE WHEN n % 1000 = 5 THEN repeat('ž', 32767) ELSE 'short' END AS long_text`,
    `chr(65536 + n % 65000) || n AS "A ""quoted"" name, and; more"`,
    `'x' || n AS "ž.dot"`,
    `n::real AS real`,
    `${pick(["'fat:1 cat'", "''", 'NULL'], 'tsvector')} AS words`,
    `${pick(["B'0101'", "B''", 'NULL'], 'varbit')} AS bits`,
    ...Array.from({ length: HOSTILE_TABLE_TEXTS }, (_, index) => `${pick(texts, 'text', index)} AS t${index}`),
  ];
  return `CREATE TABLE ${name} AS SELECT ${columns.join(', ')} FROM generate_series(0, ${rows - 1}) n`;
}
