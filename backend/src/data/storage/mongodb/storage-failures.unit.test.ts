import { mongo } from 'mongoose';
import { toStorageFailure } from './storage-failures.js';

const refused = Object.assign(new Error('connect ECONNREFUSED /srv/data/mongodb.sock'), {
  code: 'ECONNREFUSED',
  syscall: 'connect',
});
const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
/** Node's error for a write in the moment between the server's end of a connection and its close. */
const ended = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
const network = (cause: Error, beforeHandshake = false) =>
  new mongo.MongoNetworkError(`${cause.message}`, { cause, beforeHandshake });
const poolTimeout = Object.assign(new Error('Timed out while checking out a connection'), {
  name: 'MongoWaitQueueTimeoutError',
});
const bulk = (error: object) =>
  new mongo.MongoBulkWriteError(error as mongo.MongoServerError, {} as unknown as mongo.BulkWriteResult);
const answered = (code: number, errmsg: string) => new mongo.MongoServerError({ message: errmsg, errmsg, code });

test.each([
  ['a refused connection', network(refused, true), false, 'storage_unavailable'],
  ['a refused connection of a bulk write', bulk(network(refused, true)), false, 'storage_unavailable'],
  ['a broken connection', network(broken), false, 'storage_outcome_unknown'],
  ['a broken connection of a bulk write', bulk(network(broken)), false, 'storage_outcome_unknown'],
  ['a broken connection of a call that is safe to retry', bulk(network(broken)), true, 'storage_unavailable'],
  ['a connection that the server is ending', ended, false, 'storage_outcome_unknown'],
  ['a connection that the server is ending, of a call that is safe to retry', ended, true, 'storage_unavailable'],
  ['no free connection', poolTimeout, false, 'storage_unavailable'],
  ['a server that is stopping', answered(11_600, 'interrupted at shutdown'), false, 'storage_outcome_unknown'],
  ['a server that is not the primary', answered(10_107, 'not primary'), false, 'storage_unavailable'],
])(
  '%s becomes a storage error with a fitting code, and its message names no path of the machine',
  (_what, error, isRetrySafe, code) => {
    const failure = toStorageFailure(error, isRetrySafe);
    expect(failure?.code).toBe(code);
    expect(failure?.message).not.toMatch(/ECONN|mongodb\.sock|srv/);
  },
);

test('a push that MongoDB did not store within the time limit fails with an error that says what to do', () => {
  const failure = toStorageFailure(bulk(answered(50, 'operation exceeded time limit')), true);
  expect(failure).toMatchObject({
    code: 'storage_rejected',
    message: expect.stringContaining('To store documents, send fewer at a time'),
  });
});

test('a MongoDB call fails with an error that names the memory limit if MongoDB closed its connection', () => {
  const closed = new mongo.MongoNetworkError('connection 7 to /srv/data/mongodb.sock closed');
  expect(toStorageFailure(closed, true)).toMatchObject({
    code: 'storage_unavailable',
    message: expect.stringContaining('more memory than MongoDB may use'),
  });
  expect(toStorageFailure(closed, false)?.code).toBe('storage_outcome_unknown');
});

test('a storage error has the message of MongoDB without paths and internal database names', () => {
  const text = `cannot index parallel arrays in u_${'0'.repeat(32)}.books: /var/lib/mongo/x: "a/b", 1/2`;
  expect(toStorageFailure(answered(171, text), true)).toMatchObject({
    code: 'storage_rejected',
    message: 'cannot index parallel arrays in books: (a path): "a/b", 1/2',
  });
  expect(
    toStorageFailure(new mongo.MongoInvalidArgumentError('Update document requires atomic operators'), true),
  ).toMatchObject({
    code: 'storage_rejected',
  });
});

test.each([
  new mongo.MongoRuntimeError('lost /srv/data/mongodb.sock'),
  new TypeError('x is not a function'),
  'text',
  null,
])('an unexpected error is not translated into a storage error: %p', error => {
  expect(toStorageFailure(error, true)).toBeNull();
});
