/**
 * Generates hostile requests, and some valid ones, from the schemas of openapi.yaml and from values that are known to
 * break servers. They contain placeholders (`Ref`) for ids, which are filled in when a request is sent, so that the
 * same seed generates the same requests for any database.
 */
import fc, { type Arbitrary } from 'fast-check';
import type { DocumentedApi, Operation, Schema } from './documented-api.js';

/** Placeholder. `usual` stands for the value in the valid call, `other` for the other user's id of the same name. */
export type Ref = 'usual' | 'other';
export type Generated = { ref: Ref } | { value: unknown };

export interface GeneratedRequest {
  path: Record<string, Generated>;
  /** Values of query parameters. Parameters that are missing here are not sent. */
  query: Record<string, Generated>;
  /**
   * The body: `usual` is the body of the valid call, `fields` changes some of its fields, `json` and `text` replace it.
   */
  body: 'usual' | { fields: Record<string, Generated> } | { json: unknown } | { text: string };
}

const TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202eabc',
  '\u{1f5ff}'.repeat(50),
  'x'.repeat(5_000),
  '%',
  '%00',
  '%s%n',
  '\\',
  '"',
  '*',
  '(a+)+$',
  '-',
  ',,,',
  '-created_at,-created_at,id',
  '-id',
  'id,-id',
  "' OR 1=1 --",
  "'; DROP TABLE users; --",
  '../../etc/passwd',
  '/etc/passwd',
  'C:\\Windows',
  '$where',
  '{"$gt":""}',
  '{"$where":"sleep(1000)"}',
  '[{"$out":"elsewhere"}]',
  'system.users',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-1',
  '1.5',
  '1e309',
  '99999999999999999999',
  '0x10',
  'true',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  '<script>alert(1)</script>',
  'value\r\nX-Injected: 1',
  'main.js',
  'input.json',
  'inputSecret.json',
  'any',
] as const;

const NUMBERS = [0, -0, -1, 1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, -(2 ** 63), 1e300, Number.MIN_VALUE] as const;

/** Extended JSON and MongoDB operators, valid and malformed. */
const DOCUMENTS = [
  { $where: 'sleep(1000)' },
  { $function: { body: 'return 1', args: [], lang: 'js' } },
  { $gt: '' },
  { $ne: null },
  { $regex: '(a+)+$' },
  { $oid: 'not an id' },
  { $oid: '65cdf0c2a1b2c3d4e5f60718' },
  { $date: 'yesterday' },
  { $date: { $numberLong: '99999999999999999' } },
  { $numberDecimal: 'abc' },
  { $numberLong: '99999999999999999999' },
  { $binary: { base64: '###', subType: '99' } },
  { $code: 'while (true) {}' },
  { $ref: 'books', $id: 1, $db: 'admin' },
  { $set: { _id: 1 } },
  { $unset: { 'a.b.c': '' } },
  { 'a.b': 1, a: { b: 2 } },
  { $out: 'elsewhere' },
  { $lookup: { from: 'users', as: 'all', pipeline: [] } },
  { $group: { _id: null, n: { $sum: 1 } } },
];

const text = fc.oneof(
  { arbitrary: fc.constantFrom(...TEXTS), weight: 3 },
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  // Texts of any UTF-16 units, also with lone surrogates.
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map(units => String.fromCharCode(...units)),
);
/** Values that become different, or cause an error, when they are converted to text or numbers. */
const UNLIKE_THEIR_TEXT: unknown[] = [
  { toString: 1 },
  { toString: 1, valueOf: 1 },
  { valueOf: null, toJSON: 1 },
  { length: 1 },
  [true],
  ['false'],
  [1],
  [[]],
];

const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
const leaf = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(...DOCUMENTS, ...UNLIKE_THEIR_TEXT),
);

/** Makes objects with any field names. Even `__proto__` becomes an own field. */
const objectOf = (value: Arbitrary<unknown>): Arbitrary<object> =>
  fc.array(fc.tuple(text, value), { maxLength: 4 }).map(entries => {
    const made = {};
    for (const [name, of] of entries)
      Object.defineProperty(made, name, { value: of, enumerable: true, configurable: true });
    return made;
  });

const deep = fc.integer({ min: 10, max: 1_200 }).map(levels => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
});

/** Any hostile JSON value. */
export const anyJson: Arbitrary<unknown> = fc.oneof(
  { arbitrary: leaf, weight: 6 },
  { arbitrary: fc.array(leaf, { maxLength: 4 }), weight: 2 },
  { arbitrary: objectOf(fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), objectOf(leaf))), weight: 3 },
  deep,
);

/** A value that `schema` allows, often its example. */
export function fitting(documented: DocumentedApi, given: Schema, depth = 0): Arbitrary<unknown> {
  const schema = documented.resolve(given);
  const made = unlikeExample(documented, schema, depth);
  return schema.example === undefined ? made : fc.oneof(made, fc.constant(schema.example));
}

function unlikeExample(documented: DocumentedApi, schema: Schema, depth: number): Arbitrary<unknown> {
  const { enum: values, oneOf, anyOf, allOf, type, format, pattern, minimum, maximum } = schema;
  if (depth > 4) return anyJson;
  if (values) return fc.constantFrom(...values);
  const parts = oneOf ?? anyOf ?? (allOf?.length === 1 ? allOf : undefined);
  if (parts) return fc.oneof(...parts.map((part: Schema) => fitting(documented, part, depth + 1)));
  switch (type) {
    case 'integer':
      return fc.integer({ min: minimum, max: Math.min(maximum ?? 10_000, 10_000) });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'string': {
      if (format === 'email') return fc.emailAddress();
      if (format === 'uuid') return fc.uuid();
      if (format === 'date-time') return fc.date({ noInvalidDate: true }).map(date => date.toISOString());
      const { minLength = 0, maxLength = 60 } = schema;
      if (pattern) return matching(pattern);
      return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) });
    }
    case 'array':
      return fc.array(fitting(documented, schema.items ?? {}, depth + 1), { maxLength: 3 });
    case 'object': {
      if (!schema.properties) return objectOf(anyJson);
      const fields = Object.entries(schema.properties as Record<string, Schema>).map(
        ([name, of]) => [name, fitting(documented, of, depth + 1)] as const,
      );
      return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
    }
    default:
      return anyJson;
  }
}

function matching(pattern: string): Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
  } catch {
    // fast-check cannot generate texts from this pattern, so generate any text.
    return text;
  }
}

/** Longest time in milliseconds that a call waits for a run. It is short, because some of the runs never end. */
const MOST_WAIT_MS = 20;

const usual = fc.constant({ ref: 'usual' } as Generated);
const other = fc.constant({ ref: 'other' } as Generated);
const of = (values: Arbitrary<unknown>): Arbitrary<Generated> => values.map(value => ({ value }));
const waitMs = of(fc.oneof(fc.integer({ min: 0, max: MOST_WAIT_MS }), fc.constantFrom(-1, 'soon')));

/**
 * Generates the valid call with at most two fields changed. Most new values are allowed, so that many requests pass
 * validation.
 */
export function nearRequest(documented: DocumentedApi, operation: Operation): Arbitrary<GeneratedRequest> {
  const { parameters, body, takesBody } = operation;
  // Ids are rarely replaced by generated ones: a random UUID belongs to no resource.
  const near = (name: string, schema: Schema, hostile: Arbitrary<unknown>): Arbitrary<Generated> =>
    fc.oneof(
      { arbitrary: of(fitting(documented, schema)), weight: name.endsWith('_id') ? 1 : 6 },
      { arbitrary: usual, weight: 3 },
      other,
      of(hostile),
    );
  const inQuery = parameters.filter(parameter => parameter.in === 'query');
  const waits = inQuery.some(({ name }) => name === 'wait_ms');
  const fields = [
    ...inQuery
      .filter(({ name }) => name !== 'wait_ms')
      .map(({ name, example, schema }) => ['query', name, near(name, { example, ...schema }, text)] as const),
    ...Object.entries((body?.properties ?? {}) as Record<string, Schema>).map(
      ([name, schema]) => ['body', name, near(name, schema, anyJson)] as const,
    ),
  ];
  return fc.subarray(fields, { maxLength: Math.min(2, fields.length) }).chain(changed => {
    const valuesIn = (where: string) =>
      fc.record(Object.fromEntries(changed.flatMap(([place, name, made]) => (place === where ? [[name, made]] : []))));
    const whole =
      takesBody && body && !body.properties
        ? fc.oneof(
            fc.constant('usual' as const),
            fitting(documented, body).map(json => ({ json })),
          )
        : fc.constant('usual' as const);
    return fc.record({
      path: fc.constant({}),
      query: waits
        ? fc.tuple(valuesIn('query'), waitMs).map(([made, wait_ms]) => ({ ...made, wait_ms }))
        : valuesIn('query'),
      body: changed.some(([place]) => place === 'body') ? valuesIn('body').map(made => ({ fields: made })) : whole,
    });
  });
}

/** Any value in any field. */
export function generatedRequest(documented: DocumentedApi, operation: Operation): Arbitrary<GeneratedRequest> {
  const parametersIn = (place: string) => operation.parameters.filter(parameter => parameter.in === place);

  const path = parametersIn('path').map(({ name, schema }) => [
    name,
    fc.oneof(
      { arbitrary: usual, weight: 6 },
      { arbitrary: other, weight: 2 },
      of(fitting(documented, schema)),
      of(text.filter(value => !['', '.', '..'].includes(value))),
    ),
  ]);
  const query = parametersIn('query').map(({ name, example, schema }) => [
    name,
    name === 'wait_ms'
      ? waitMs
      : fc.oneof(
          { arbitrary: of(fitting(documented, { example, ...schema })), weight: 12 },
          usual,
          other,
          of(text),
          of(number),
          of(anyJson.map(json => JSON.stringify(json))),
        ),
  ]);
  const fields = Object.entries((operation.body?.properties ?? {}) as Record<string, Schema>).map(([name, schema]) => [
    name,
    fc.oneof({ arbitrary: of(fitting(documented, schema)), weight: 6 }, usual, other, of(anyJson)),
  ]);
  const some = (entries: (string | Arbitrary<Generated>)[][], requiredKeys: string[] = []) =>
    fc.record(Object.fromEntries(entries) as Record<string, Arbitrary<Generated>>, { requiredKeys });
  return fc.record({
    path: fc.record(Object.fromEntries(path) as Record<string, Arbitrary<Generated>>),
    query: some(query, query.some(([name]) => name === 'wait_ms') ? ['wait_ms'] : []),
    body: bodyOf(documented, operation, some(fields)),
  });
}

function bodyOf(
  documented: DocumentedApi,
  { body, takesBody }: Operation,
  fields: Arbitrary<Record<string, Generated>>,
): Arbitrary<GeneratedRequest['body']> {
  const asUsual = fc.constant('usual' as const);
  if (!takesBody) return asUsual;
  const json = anyJson.map(value => ({ json: value }));
  const raw = text.map(sent => ({ text: sent }));
  if (!body) return fc.oneof({ arbitrary: asUsual, weight: 2 }, json, raw);
  return fc.oneof(
    { arbitrary: asUsual, weight: 2 },
    { arbitrary: body.properties ? fields.map(made => ({ fields: made })) : json, weight: 6 },
    { arbitrary: fitting(documented, body).map(value => ({ json: value })), weight: 3 },
    json,
    raw,
  );
}
