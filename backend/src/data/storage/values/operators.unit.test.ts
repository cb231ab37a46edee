import { Code, DBRef, ObjectId } from 'bson';
import { checkDocument, checkOperators } from './operators.js';

test.each([
  {
    title: /dogs/i,
    price: { $gte: 5, $lt: 9 },
    $or: [{ a: { $exists: true } }, { tags: { $elemMatch: { $eq: 'x' } } }],
  },
  { $set: { a: 1 }, $push: { b: { $each: [1], $slice: 5 } } },
  [
    { $match: { a: 1 } },
    { $group: { _id: '$a', n: { $sum: 1 } } },
    { $sort: { n: -1 } },
    { $lookup: { from: 'books', as: 'b' } },
  ],
  [{ $unionWith: 'books' }, { $unionWith: { coll: 'books', pipeline: [{ $match: {} }] } }],
  { _id: new ObjectId() },
])('the check of MongoDB operators allows %j', value => {
  expect(() => checkOperators(value)).not.toThrow();
});

test.each([
  [{ $where: 'sleep(1000)' }, '$where'],
  [{ $and: [{ a: { $not: { $where: '1' } } }] }, '$where'],
  [{ $expr: { $function: { body: 'x', args: [], lang: 'js' } } }, '$function'],
  [[{ $group: { _id: 1, x: { $accumulator: {} } } }], '$accumulator'],
  [[{ $out: 'other' }], '$out'],
  [[{ $facet: { a: [{ $merge: { into: 'x' } }] } }], '$merge'],
  [[{ $currentOp: {} }], '$currentOp'],
  [[{ $collStats: {} }], '$collStats'],
  [[{ $lookup: { from: { db: 'other', coll: 'x' }, as: 'y' } }], '$lookup'],
  [[{ $lookup: { from: 'system.users', as: 'y' } }], 'system.'],
  [[{ $lookup: { from: 'a', pipeline: [{ $unionWith: { db: 'other', coll: 'x' } }], as: 'y' } }], '$unionWith'],
  [[{ $graphLookup: { from: 'system.profile' } }], '$graphLookup'],
  [{ a: new Code('return 1') }, 'Code'],
  [{ a: new DBRef('x', new ObjectId(), 'other') }, 'DBRef'],
])(
  'the check of MongoDB operators refuses %j, which runs code or leaves the database, and names the reason',
  (value, named) => {
    expect(() => checkOperators(value)).toThrow(named);
  },
);

test('the check of MongoDB operators refuses a query that is nested too deeply', () => {
  let value: object = {};
  for (let depth = 0; depth < 200; depth++) value = { $and: [value] };
  expect(() => checkOperators(value)).toThrow('levels deep');
});

test('a MongoDB query may have at most 50 operators that build texts or lists', () => {
  const texts = (count: number) => [{ $project: { list: Array(count).fill({ $concat: ['$text', '$text'] }) } }];
  expect(() => checkOperators(texts(50))).not.toThrow();
  expect(() => checkOperators(texts(51))).toThrow('51 operators that build texts or lists');
  expect(() => checkOperators({ _id: { $in: Array(5000).fill('a') } })).not.toThrow();
});

test('the check of MongoDB documents refuses operators and code', () => {
  expect(() => checkDocument({ _id: 1, a: { 'b.c': [1, new Date()] } })).not.toThrow();
  expect(() => checkDocument({ _id: 1, a: [{ $inc: 1 }] })).toThrow('$inc');
  expect(() => checkDocument({ _id: 1, a: new Code('x') })).toThrow('Code');
});
