import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  deserialize,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
  UUID,
} from 'bson';
import fc from 'fast-check';
import { checkBson, checkDocuments, storedForms } from './bson-bytes.js';
import { checkDocument } from './operators.js';

const EXACT = { promoteValues: false, bsonRegExp: true } as const;
const RUNS = { seed: testSeed, numRuns: isFullTest ? 20_000 : 1_000 };

const bytesOf = (value: object): Buffer => Buffer.from(serialize(value, { ignoreUndefined: false }));
const accepts = (check: () => unknown): boolean => {
  try {
    check();
    return true;
  } catch (error) {
    // Every other error would be a defect of the check.
    expect(error).toMatchObject({ code: 'storage_rejected' });
    return false;
  }
};

// The encoder refuses NUL and `_bsontype`, and the check of decoded documents allows `__proto__`.
const name = fc
  .oneof(
    { weight: 10, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
    fc.constantFrom('_id', 'a', 'ä', '$set', '_somename', 'a.b', ''),
  )
  .filter(text => !/\0|^(_bsontype|__proto__)$/.test(text));
const scalar = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  fc.integer().map(n => new Int32(n)),
  fc.double().map(n => new Double(n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(n => Long.fromBigInt(n)),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map(bytes => new ObjectId(bytes)),
  fc.uint8Array({ minLength: 16, maxLength: 16 }).map(bytes => new Decimal128(bytes)),
  fc.uint8Array({ minLength: 16, maxLength: 16 }).map(bytes => new UUID(bytes)),
  fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(0, 1, 2, 5, 128)).map(([b, type]) => new Binary(b, type)),
  fc.float().map(n => Binary.fromFloat32Array(new Float32Array([n]))),
  fc.constantFrom('', 'i', 'msx').map(options => new BSONRegExp('^a(?i)b', options)),
  fc.string({ maxLength: 5 }).map(text => new BSONSymbol(text)),
  fc.tuple(fc.nat(), fc.nat()).map(([t, i]) => new Timestamp({ t, i })),
  fc.constantFrom(new MinKey(), new MaxKey()),
);
const ref = fc
  .tuple(fc.constantFrom('books', ''), scalar, fc.constantFrom(undefined, undefined, 'other'))
  .map(([collection, id, db]) => new DBRef(collection, id as ObjectId, db));
const fields = (value: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.array(fc.tuple(name, value), { maxLength: 6 }).map(entries => Object.fromEntries(entries));
const { object } = fc.letrec(tie => ({
  value: fc.oneof({ maxDepth: 5 }, scalar, ref, tie('object'), fc.array(tie('value'), { maxLength: 4 })),
  object: fields(tie('value')),
}));
const document = (object as fc.Arbitrary<object>).map(value => ({ ...value, _id: 1 }));

test('the check of BSON bytes accepts a document if and only if the check of decoded documents accepts it', () => {
  let refused = 0;
  fc.assert(
    fc.property(document, value => {
      const bytes = bytesOf(value);
      expect(accepts(() => checkBson(bytes))).toBe(true);
      const isAccepted = accepts(() => checkDocuments(bytes));
      if (!isAccepted) refused += 1;
      expect(isAccepted).toBe(accepts(() => checkDocument(deserialize(bytes, EXACT))));
    }),
    RUNS,
  );
  expect(refused).toBeGreaterThan(RUNS.numRuns / 50);
});

/** A change of a document: bytes that are inserted, or that replace as many bytes or more. */
const mutation = fc.record({
  at: fc.nat(),
  isInserted: fc.constantFrom(false, false, true),
  removed: fc.constantFrom(0, 0, 1, 40),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 3 }),
    fc.constantFrom(0, 1, 4, 5, 0x7fffffff, -1, -0x80000000).map(size => new Uint8Array(new Int32Array([size]).buffer)),
  ),
});

test('BSON bytes that the check accepts can be decoded, however the bytes were changed', () => {
  let accepted = 0;
  fc.assert(
    fc.property(document, fc.array(mutation, { minLength: 1, maxLength: 2 }), (value, mutations) => {
      let bytes = bytesOf(value);
      for (const { at, isInserted, removed, bytes: changed } of mutations) {
        const from = at % bytes.length;
        const to = from + removed + (isInserted ? 0 : changed.length);
        bytes = Buffer.concat([bytes.subarray(0, from), changed, bytes.subarray(to)]);
      }
      if (accepts(() => checkBson(bytes))) {
        accepted += 1;
        expect(() => deserialize(bytes, EXACT)).not.toThrow();
      }
      if (accepts(() => checkDocuments(bytes))) {
        for (const { from, to } of checkDocuments(bytes).positions) {
          const decoded = deserialize(bytes.subarray(from, to), EXACT);
          expect(accepts(() => checkDocument(decoded))).toBe(true);
          expect(decoded).toHaveProperty('_id');
        }
      }
    }),
    RUNS,
  );
  expect(accepted).toBeGreaterThan(RUNS.numRuns / 50);
});

test('the check of BSON bytes refuses random bytes, or they can be decoded', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (random, hasSize) => {
      const bytes = Buffer.from(random);
      if (hasSize && bytes.length >= 5) {
        bytes.writeInt32LE(bytes.length);
        bytes[bytes.length - 1] = 0;
      }
      accepts(() => checkDocuments(bytes));
      if (accepts(() => checkBson(bytes))) expect(() => deserialize(bytes, EXACT)).not.toThrow();
    }),
    RUNS,
  );
});

/** Returns a document with an `_id` and one more element. */
function withElement(type: number, name: string, ...value: number[]): Buffer {
  const { length } = bytesOf({ _id: 1 });
  const bytes = Buffer.concat([
    bytesOf({ _id: 1 }).subarray(0, length - 1),
    Buffer.from([type]),
    Buffer.from(`${name}\0`),
    Buffer.from([...value, 0]),
  ]);
  bytes.writeInt32LE(bytes.length);
  return bytes;
}
const field = (type: number, ...value: number[]): Buffer => withElement(type, 'v', ...value);
const NULL = 0x0a;

test.each<[string, Buffer, string]>([
  ['a text that is not UTF-8', field(0x02, 2, 0, 0, 0, 0xff, 0), 'UTF-8'],
  ['a text with a size of 2 GB', field(0x02, 0xff, 0xff, 0xff, 0x7f, 0), 'wrong size of a text'],
  ['an object with a negative size', field(0x03, 0xff, 0xff, 0xff, 0xff, 0), 'wrong size of an object'],
  ['binary data beyond the end', field(0x05, 9, 0, 0, 0, 0, 1), 'wrong size of binary data'],
  ['a vector without its header', field(0x05, 1, 0, 0, 0, 9, 3), 'vector'],
  ['an option that no regular expression has', field(0x0b, 0x61, 0, 0x67, 0), 'options'],
  ['undefined', field(0x06), 'unknown type 6'],
  ['a type of the future', field(0x42), 'unknown type 66'],
  ['a half number', field(0x10, 1, 0), 'beyond the end'],
  ['a document without _id', bytesOf({ a: 1 }), '_id'],
  ['two fields named _id', withElement(NULL, '_id'), 'two fields'],
  ['code', bytesOf({ _id: 1, v: new Code('return 1') }), 'Code'],
  ['code with a scope', bytesOf({ _id: 1, v: new Code('return 1', { a: 1 }) }), 'Code'],
  ['the name _bsontype', withElement(NULL, '_bsontype'), '_bsontype'],
  ['the name __proto__', withElement(NULL, '__proto__'), '__proto__'],
  ['a name without end', Buffer.from([8, 0, 0, 0, NULL, 0x61, 0x61, 0]), 'a name without end'],
  ['no documents', Buffer.alloc(0), 'at least one'],
  ['an operator at the top', bytesOf({ _id: 1, $set: 1 }), '$set'],
  ['an operator inside of a DBRef', bytesOf({ _id: 1, v: { $ref: 'a', $id: 1, $where: 1 } }), '$where'],
  ['a DBRef without $id', bytesOf({ _id: 1, v: { $ref: 'a' } }), '$ref'],
  ['a DBRef to null', bytesOf({ _id: 1, v: { $ref: 'a', $id: null } }), '$id'],
  ['a DBRef to another database', bytesOf({ _id: 1, v: new DBRef('a', new ObjectId(), 'b') }), 'another database'],
  ['a document that is a DBRef', bytesOf({ $ref: 'a', $id: 1, _id: 1 }), '$ref'],
])('the check of BSON documents refuses %s', (_what, bytes, named) => {
  expect(() => checkDocuments(bytes)).toThrow(named);
});

test('the check of BSON documents accepts a regular expression whose text is a forbidden field name', () => {
  const bytes = bytesOf({ _id: 1, v: [new BSONRegExp('_bsontype'), new BSONRegExp('__proto__', 'i')] });
  expect(checkDocuments(bytes).positions).toHaveLength(1);
});

test('the check of BSON documents counts nesting levels as the check of decoded documents does', () => {
  const nested = (levels: number): object => JSON.parse(`{"_id":1,"v":${'['.repeat(levels)}${']'.repeat(levels)}}`);
  for (const levels of [1, 79, 80, 81, 1_000]) {
    const document = nested(levels);
    expect(accepts(() => checkDocuments(bytesOf(document)))).toBe(accepts(() => checkDocument(document)));
  }
});

test('the check of BSON bytes refuses the deepest nesting that fits into a call', () => {
  const levels = 60_000;
  const bytes = Buffer.alloc(levels * 8 + 5);
  for (let level = 0; level <= levels; level++) {
    bytes.writeInt32LE(bytes.length - level * 8, level * 7);
    if (level < levels) bytes.set([0x03, 0x61, 0], level * 7 + 4);
  }
  expect(() => deserialize(bytes)).not.toThrow();
  expect(() => checkBson(bytes)).toThrow('levels deep');
});

test('BSON documents are stored with _id as their first field', () => {
  const documents = [{ a: 1, b: ['x'], _id: 'id', c: null }, { _id: 1 }].map(bytesOf);
  expect(storedForms(checkDocuments(Buffer.concat(documents)))).toEqual(
    [{ _id: 'id', a: 1, b: ['x'], c: null }, { _id: 1 }].map(bytesOf),
  );
});
