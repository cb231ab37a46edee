import { sampleOf } from '../../../../../scripts/jest/sample.js';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { READ } from '../mongodb/call-options.js';

const { app } = appForFile();
const database = databaseForFile(app);
let at: string;
beforeAll(async () => {
  const books = database.fresh();
  at = books.at;
  await books.collection.insertMany([{ n: 1, title: 'a'.repeat(200) }]);
});

/**
 * Queries that run code, leave the database, write to another collection or reveal the server. `named` must appear in
 * the error message.
 */
const REFUSED: [named: string, value: object][] = [
  ['$where', { $where: 'sleep(1000)' }],
  ['$function', { $expr: { $function: { body: 'return 1', args: [], lang: 'js' } } }],
  ['$accumulator', { $expr: { $accumulator: { init: 'x' } } }],
  ['$code', { a: { $code: 'return 1' } }],
  ['$code', { a: { $code: 'return 1', $scope: {} } }],
  ['$scope', { a: { $scope: {}, x: 1 } }],
  ['$symbol', { a: { $symbol: 'x' } }],
  ['$dbPointer', { a: { $dbPointer: { $ref: 'x', $id: '1' } } }],
  ['$ref', { a: { $ref: 'x', $id: 1, $db: 'other' } }],
  ['$jsonSchema', { $jsonSchema: {} }],
  ['$mapReduce', { $mapReduce: {} }],
  ['$USER_ROLES', { $expr: { $eq: ['$$USER_ROLES', []] } }],
  ['_bsontype', { a: { _bsontype: 'Code', code: 'x' } }],
  ['_bsontype', { a: { _bsontype: 'ObjectId', $where: 'x' } }],
  ['__proto__', JSON.parse('{"a":{"__proto__":{"$where":"x"}}}')],
];

const DISGUISES: [how: string, wrap: (value: object) => object][] = [
  ['as it is', value => value],
  ['in $and and $or', value => ({ $and: [{ $or: [value] }] })],
  ['in $not and $elemMatch', value => ({ a: { $not: { $elemMatch: value } } })],
  ['in $expr', value => ({ $expr: { $and: [value] } })],
  ['in a literal', value => ({ $expr: { $literal: value } })],
  ['beside a harmless type', value => ({ a: { $oid: '64b7f0c2a1d3e4f5a6b7c8d9', ...value } })],
  ['seventy levels down', value => Array.from({ length: 35 }).reduce<object>(inner => ({ $and: [inner] }), value)],
];

describe.each(DISGUISES)('a forbidden MongoDB operator, %s', (how, wrap) => {
  it.each(sampleOf(REFUSED, { oneIn: 5, offset: how.length }))(
    'is refused by every route that takes a filter, and the error names it: %s in %j',
    async (named, value) => {
      const filter = wrap(value);
      const text = encodeURIComponent(JSON.stringify(filter));
      const answers = await Promise.all([
        database.api('GET', `${at}/list?filter=${text}`),
        database.api('GET', `${at}/count?filter=${text}`),
        database.api('GET', `${at}/distinct?field=n&filter=${text}`),
        database.api('POST', `${at}/delete-many`, { filter }),
        database.api('POST', `${at}/update-many`, { filter, update: { $set: { a: 1 } } }),
        database.api('POST', `${at}/aggregate`, { pipeline: [{ $match: filter }] }),
      ]);
      for (const { status, body } of answers) {
        expect([400, 422]).toContain(status);
        // If the value also looks like an Extended JSON type, the message names the malformed type instead.
        if (!('a' in filter && '$oid' in (filter as any).a)) expect(body.error_message).toContain(named);
      }
    },
  );
});

describe('an aggregation stage', () => {
  it.each([
    ['$out', [{ $out: 'elsewhere' }]],
    ['$out', [{ $out: { db: 'admin', coll: 'x' } }]],
    ['$merge', [{ $merge: { into: 'elsewhere' } }]],
    ['$merge', [{ $facet: { a: [{ $merge: 'x' }] } }]],
    ['$currentOp', [{ $currentOp: { allUsers: true } }]],
    ['$listSessions', [{ $listSessions: {} }]],
    ['$listLocalSessions', [{ $listLocalSessions: {} }]],
    ['$collStats', [{ $collStats: { storageStats: {} } }]],
    ['$indexStats', [{ $indexStats: {} }]],
    ['$planCacheStats', [{ $planCacheStats: {} }]],
    ['$changeStream', [{ $changeStream: {} }]],
    ['$documents', [{ $documents: [] }]],
    ['$listCatalog', [{ $listCatalog: {} }]],
    ['$queryStats', [{ $queryStats: {} }]],
    ['$_internalInhibitOptimization', [{ $_internalInhibitOptimization: {} }]],
    ['$lookup', [{ $lookup: { from: 'system.users', as: 'x' } }]],
    ['$lookup', [{ $lookup: { from: { db: 'local', coll: 'oplog.rs' }, as: 'x' } }]],
    ['$lookup', [{ $lookup: { pipeline: [], as: 'x' } }]],
    ['$out', [{ $lookup: { from: 'a', pipeline: [{ $out: 'x' }], as: 'x' } }]],
    ['$where', [{ $lookup: { from: 'a', pipeline: [{ $match: { $where: '1' } }], as: 'x' } }]],
    ['$unionWith', [{ $unionWith: 'system.profile' }]],
    ['$unionWith', [{ $unionWith: { coll: 'x', db: 'other' } }]],
    ['$unionWith', [{ $unionWith: { pipeline: [] } }]],
    ['$currentOp', [{ $unionWith: { coll: 'x', pipeline: [{ $currentOp: {} }] } }]],
    ['$graphLookup', [{ $graphLookup: { from: 'system.js', as: 'x' } }]],
    ['$function', [{ $project: { a: { $function: { body: 'x', args: [], lang: 'js' } } } }]],
    ['$accumulator', [{ $group: { _id: 1, a: { $accumulator: { init: 'x' } } } }]],
  ])(
    'that leaves the database, writes or reveals the server is refused, and the error names it: %s in %j',
    async (named, pipeline) => {
      const { status, body } = await database.api('POST', `${at}/aggregate`, { pipeline });
      expect([status, body.error_code]).toEqual([422, 'storage_rejected']);
      expect(body.error_message).toContain(named);
    },
  );

  it('that never ends is stopped at the time limit, and the database keeps working', async () => {
    const pipeline = [
      ...Array.from({ length: 8 }, () => ({ $unionWith: { coll: at.split('/').at(-1) } })),
      { $set: { list: { $range: [0, 100_000] } } },
      { $unwind: '$list' },
      { $set: { more: { $range: [0, 1_000] } } },
      { $unwind: '$more' },
      { $group: { _id: { $mod: ['$more', 7] }, n: { $sum: 1 } } },
    ];
    const limit = jest.replaceProperty(READ, 'maxTimeMS', 500 as never);
    const { status, body } = await database.api('POST', `${at}/aggregate`, { pipeline });
    limit.restore();
    expect([status, body.error_code]).toEqual([422, 'storage_rejected']);
    expect((await database.api('GET', `${at}/count`)).body).toEqual({ total: 1 });
  });

  it('for a regular expression that backtracks exponentially ends at the time limit', async () => {
    const filter = encodeURIComponent(JSON.stringify({ title: { $regex: '^(a|aa|a*)*$b' } }));
    const { status } = await database.api('GET', `${at}/list?filter=${filter}`);
    expect([200, 422]).toContain(status);
  });
});

describe('a MongoDB update', () => {
  it.each([
    ['$where', { $set: { a: 1 }, $where: 'x' }],
    ['$function', { $set: { a: { $function: { body: 'x' } } } }],
    ['$out', { $out: 'x' }],
  ])('with a forbidden operator is refused, and the error names %s', async (named, update) => {
    const { status, body } = await database.api('POST', `${at}/update-many`, { filter: { n: 1 }, update });
    expect([status, body.error_message]).toEqual([422, expect.stringContaining(named)]);
  });
});

it('MongoDB documents with operators, code or reserved names cannot be added', async () => {
  for (const document of [
    { $where: 1 },
    { a: { $code: 'x' } },
    { a: { $code: 'x', $scope: {} } },
    { a: { _bsontype: 'Code', code: 'x' } },
    { 'a\u0000b': 1 },
    JSON.parse('{"a":{"__proto__":1}}'),
  ]) {
    const { status } = await database.api('POST', `${at}/addnew`, document);
    expect([document, status]).toEqual([document, 400]);
  }
});
