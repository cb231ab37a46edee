import { ObjectId } from 'bson';
import { retrySafetyOf } from './retry-safety.js';

const byUrl = { url: 'https://a' };

test.each([
  'insertMany',
  'find',
  'aggregate',
  'next',
  'close',
  'countDocuments',
  'distinct',
  'deleteMany',
  'createIndex',
] as const)('the MongoDB operation %s is safe to retry', method =>
  expect(retrySafetyOf(method, { filter: {} })).toBe('always'),
);

test.each([
  ['always', { _id: new ObjectId() }, { $set: { a: 1 }, $addToSet: { b: 2 } }],
  ['when_one_matches', byUrl, { $set: { a: 1 } }],
  ['when_one_matches', byUrl, { $set: { url: 'https://a', a: 1 }, $setOnInsert: { b: 1 } }],
  ['when_one_matches', { 'items.id': 3 }, { $set: { 'items.$.price': 1 } }],
  ['never', byUrl, { $set: { url: 'https://b' } }],
  ['never', { 'a.b': 1 }, { $set: { a: {} } }],
  ['never', { a: { b: 1 } }, { $unset: { 'a.b': '' } }],
  ['never', { 'items.0.id': 3 }, { $set: { 'items.$[].id': 4 } }],
  ['never', { _id: 1 }, { $inc: { a: 1 } }],
  ['never', { _id: 1 }, { $set: { a: 1 }, $push: { b: 1 } }],
  ['never', { _id: { $gt: 1 } }, { $set: { a: 1 } }],
  ['never', { price: { $lt: 5 } }, { $set: { a: 1 } }],
  ['never', { $or: [byUrl] }, { $set: { a: 1 } }],
  ['never', { url: /a/ }, { $set: { a: 1 } }],
  ['never', {}, { $set: { a: 1 } }],
  ['never', { _id: 1 }, [{ $set: { a: 1 } }]],
] as const)(
  'the retry safety of updateOne is "%s" with the filter %j and the update %j',
  (expected, filter, update) => {
    expect(retrySafetyOf('updateOne', { filter, update })).toBe(expected);
  },
);

test('updateMany is never safe to retry', () => {
  expect(retrySafetyOf('updateMany', { filter: { _id: 1 }, update: { $set: { a: 1 } } })).toBe('never');
});

test('replaceOne is safe to retry by _id, or when the replacement keeps the fields of the filter', () => {
  expect(retrySafetyOf('replaceOne', { filter: { _id: 1 }, replacement: { a: 1 } })).toBe('always');
  expect(retrySafetyOf('replaceOne', { filter: byUrl, replacement: { ...byUrl, a: 1 } })).toBe('when_one_matches');
  expect(retrySafetyOf('replaceOne', { filter: byUrl, replacement: { a: 1 } })).toBe('never');
});

test('deleteOne is safe to retry by _id only, because another filter would match the next document', () => {
  expect(retrySafetyOf('deleteOne', { filter: { _id: 'x' } })).toBe('always');
  expect(retrySafetyOf('deleteOne', { filter: byUrl })).toBe('never');
  expect(retrySafetyOf('deleteOne', { filter: { _id: { $in: [1, 2] } } })).toBe('never');
});
