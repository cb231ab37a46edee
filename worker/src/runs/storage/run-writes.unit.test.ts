import { MAX_WRITTEN_NAMES, type PostgresAnswer, writesSchema } from '@trawl/contracts';
import { serialize } from 'bson';
import { Redaction } from '../../redaction/redaction.js';
import type { CallDelivery } from './call-delivery.js';
import { PostgresRelay } from './postgres-relay.js';
import { RunWrites } from './run-writes.js';
import { StorageRelay } from './storage-relay.js';

const NONE = { inserted: 0, updated: 0, deleted: 0 };
const BOOKS = { store: 'mongodb', database: null, name: 'books' } as const;
const mongo = (method: string, result: object, collection = 'books') =>
  [{ collection, method }, { result: serialize(result) }] as const;

test('a run’s writes count the documents that each MongoDB method changed, by collection', () => {
  const writes = new RunWrites();
  writes.addMongo(...mongo('insertMany', { inserted_count: 60 }));
  writes.addMongo(...mongo('updateOne', { matched_count: 1, modified_count: 1, upserted_count: 0, upserted_id: null }));
  writes.addMongo(...mongo('updateMany', { matched_count: 5, modified_count: 3, upserted_count: 0 }));
  writes.addMongo(...mongo('replaceOne', { matched_count: 0, modified_count: 0, upserted_count: 1, upserted_id: 7 }));
  writes.addMongo(...mongo('upsertRows', { matched_count: 3, modified_count: 3, upserted_count: 4 }));
  writes.addMongo(...mongo('deleteMany', { deleted_count: 2 }));
  writes.addMongo(...mongo('deleteOne', { deleted_count: 1 }, 'authors'));
  expect(writes.list).toEqual([
    { ...BOOKS, inserted: 65, updated: 7, deleted: 2 },
    { ...BOOKS, name: 'authors', ...NONE, deleted: 1 },
  ]);
});

test('a run’s writes do not count reads and refused calls, but count what a failed insert stored', () => {
  const writes = new RunWrites();
  writes.addMongo(...mongo('countDocuments', { count: 9 }));
  writes.addMongo(...mongo('aggregate', { inserted_count: 9 }));
  writes.addMongo(...mongo('updateOne', { matched_count: 1, modified_count: 0 }));
  writes.addMongo({ collection: 'books', method: 'insertMany' }, { error: { code: 'storage_full', message: '' } });
  expect(writes.list).toEqual([]);
  const error = { code: 'storage_duplicate_key', message: '', inserted_count: 4 };
  writes.addMongo({ db: 'shop', collection: 'books', method: 'insertMany' }, { error });
  expect(writes.list).toEqual([{ ...BOOKS, database: 'shop', ...NONE, inserted: 4 }]);
});

test('a failed call for rows with keys counts the new and the replaced rows apart, and only the new ones as rows', async () => {
  const writes = new RunWrites();
  const error = { code: 'storage_duplicate_key', message: '', inserted_count: 2, modified_count: 3 };
  const relay = new StorageRelay(
    { deliver: async () => ({ error }) } as unknown as CallDelivery,
    writes,
    new Redaction(null),
  );
  await relay.call({ collection: 'books', method: 'upsertRows', rows: 9 }, Buffer.alloc(0));
  expect(writes.list).toEqual([{ ...BOOKS, inserted: 2, updated: 3, deleted: 0 }]);
  expect(relay.rows).toBe(2);
});

test('a run’s writes list a collection once, whether or not the skript names its database', () => {
  const writes = new RunWrites();
  const [insert, inserted] = mongo('insertMany', { inserted_count: 2 });
  writes.addMongo(insert, inserted);
  writes.addMongo({ ...insert, db: 'main' }, { ...inserted, is_default: true });
  const error = { code: 'storage_duplicate_key', message: '', inserted_count: 4 };
  writes.addMongo({ ...insert, db: 'main' }, { error, is_default: true });
  writes.addMongo({ ...insert, db: 'shop' }, inserted);
  expect(writes.list).toEqual([
    { ...BOOKS, ...NONE, inserted: 8 },
    { ...BOOKS, database: 'shop', ...NONE, inserted: 2 },
  ]);
});

test('a run’s writes count a key-value entry that is stored in parts once', () => {
  const writes = new RunWrites();
  const [insert, inserted] = mongo('insertMany', { inserted_count: 1 }, 'kv_1');
  for (let n = 0; n < 3; n += 1) writes.addMongo({ ...insert, uncounted: true }, inserted);
  writes.addMongo(...mongo('replaceOne', { modified_count: 0, upserted_count: 1 }, 'kv_1'));
  writes.addMongo({ ...insert, method: 'deleteMany', uncounted: true }, { result: serialize({ deleted_count: 3 }) });
  expect(writes.list).toEqual([{ ...BOOKS, name: 'kv_1', ...NONE, inserted: 1 }]);
});

test('the worker removes the mark of uncounted writes from a call, because the platform would refuse it', async () => {
  const writes = new RunWrites();
  const sent: unknown[] = [];
  const deliver = async (_event: string, frame: (isResend: boolean) => object) => {
    sent.push(frame(false));
    return { result: serialize({ inserted_count: 1 }) };
  };
  const relay = new StorageRelay({ deliver } as unknown as CallDelivery, writes, new Redaction(null));
  const op = { collection: 'kv_1', method: 'insertMany' };
  const args = Buffer.alloc(0);
  await relay.call({ ...op, uncounted: true }, args);
  expect(sent).toEqual([{ op: { ...op, args, resend: false } }]);
  expect(writes.list).toEqual([]);
});

test('a run’s writes count names above the maximum together, and contain only names that can be stored', () => {
  const writes = new RunWrites();
  for (let n = 0; n < MAX_WRITTEN_NAMES + 50; n += 1)
    writes.addMongo(...mongo('insertMany', { inserted_count: 1 }, `c${n}`));
  writes.addMongo(...mongo('insertMany', { inserted_count: 1 }, 'c0'));
  writes.add({ store: 'postgresql', database: null, name: `\0\ud800${'x'.repeat(500)}` }, { inserted: 1 });
  const { list } = writes;
  expect(list).toHaveLength(MAX_WRITTEN_NAMES + 2);
  expect(list[0]?.inserted).toBe(2);
  expect(list.find(({ name }) => name === null)).toEqual({ ...BOOKS, name: null, ...NONE, inserted: 50 });
  expect(list.at(-1)?.name).toMatch(/^\uFFFD\uFFFDx{198}$/);
  expect(writesSchema.safeParse(list).success).toBe(true);
});

test('a run’s writes return each change once', () => {
  const writes = new RunWrites();
  expect(writes.changes()).toBeNull();
  writes.addMongo(...mongo('insertMany', { inserted_count: 1 }));
  expect(writes.changes()).toHaveLength(1);
  expect(writes.changes()).toBeNull();
});

describe('in a run’s writes, PostgreSQL statements', () => {
  const TRANSACTION = '0190f7a2-0000-7000-8000-000000000001';
  const done = (command: string, row_count: number) => ({ result: { fields: [], rows: [], row_count, command } });
  const lost = { error: { code: 'storage_transaction_lost', message: '' } };
  const sent: { op: unknown; table?: string }[] = [];
  let answers: PostgresAnswer[];
  let writes: RunWrites;
  let relay: PostgresRelay;

  beforeEach(() => {
    sent.length = 0;
    writes = new RunWrites();
    const deliver = async (_event: string, frame: (isResend: boolean) => { op: unknown }) => {
      sent.push(frame(false));
      return answers.shift();
    };
    relay = new PostgresRelay({ deliver } as unknown as CallDelivery, writes);
  });

  const query = (more: object = {}) => relay.call({ method: 'query', text: 'any', params: [], ...more }, 50);
  const counts = () => writes.list.map(({ name, inserted, updated, deleted }) => [name, inserted, updated, deleted]);

  test('count by command, and by table if the library knows it', async () => {
    answers = [
      done('INSERT', 5),
      done('INSERT', 1),
      done('UPDATE', 2),
      done('MERGE', 1),
      done('DELETE', 4),
      done('SELECT', 9),
      lost,
    ];
    await query({ table: 'shop.books' });
    for (let n = 0; n < 6; n += 1) await query();
    expect(counts()).toEqual([
      ['shop.books', 5, 0, 0],
      [null, 1, 3, 4],
    ]);
    const op = { method: 'query', text: 'any', params: [] };
    expect(sent[0]).toEqual({ op, resend: false, table: 'shop.books', packs_rows: true });
  });

  test('count for the table that PostgreSQL found, whatever name the skript uses', async () => {
    const found = (table: string) => ({ result: { ...done('INSERT', 1).result, table } });
    answers = [found('books'), found('books'), found('shop.books'), done('INSERT', 1)];
    for (const table of ['books', 'public.books', 'books', 'books']) await query({ table });
    expect(counts()).toEqual([
      ['books', 3, 0, 0],
      ['shop.books', 1, 0, 0],
    ]);
  });

  test.each([
    ['counts when it is committed', 'commit', { result: {} }, [['books', 5, 0, 0]]],
    ['does not count when it is rolled back', 'rollback', { result: {} }, []],
    ['does not count when its commit fails', 'commit', lost, []],
  ] as const)('of a transaction: %s', async (_what, method, answer, counted) => {
    answers = [done('INSERT', 5), answer];
    await query({ transaction: TRANSACTION, table: 'books' });
    expect(counts()).toEqual([]);
    await relay.call({ method, transaction: TRANSACTION, ...(method === 'commit' && { xid: '1' }) }, 50);
    expect(counts()).toEqual(counted);
  });

  const table = 'books';
  const insert = { text: 'insert', answer: done('INSERT', 1) };
  const says = (text: string, command: string) => ({ text, answer: done(command, 0) });
  test.each([
    ['what the skript has committed', [insert, says('COMMIT', 'COMMIT')], 1],
    ['nothing after COMMIT AND CHAIN', [insert, says('COMMIT AND CHAIN', 'COMMIT'), { ...insert, answer: lost }], 1],
    ['nothing of a COMMIT that rolled back', [insert, says('END', 'ROLLBACK')], 0],
    ['nothing that the skript has rolled back', [insert, says('ABORT /* to */ AND CHAIN', 'ROLLBACK')], 0],
    ['nothing of a prepared transaction', [insert, says(`PREPARE TRANSACTION 'a'`, 'PREPARE')], 0],
    [
      'what was written before a savepoint',
      [insert, says('SAVEPOINT a', 'SAVEPOINT'), insert, says('rollback to A', 'ROLLBACK'), says('END', 'COMMIT')],
      1,
    ],
    [
      'what was written after going back',
      [
        says('SAVEPOINT "A b"', 'SAVEPOINT'),
        insert,
        says('ROLLBACK WORK TO SAVEPOINT "A b";', 'ROLLBACK'),
        insert,
        insert,
        says('END', 'COMMIT'),
      ],
      2,
    ],
    [
      'a savepoint until it is rolled back',
      [
        says('SAVEPOINT a', 'SAVEPOINT'),
        insert,
        says('SAVEPOINT b', 'SAVEPOINT'),
        insert,
        says('RELEASE b -- a', 'RELEASE'),
        says('ROLLBACK TO a', 'ROLLBACK'),
        insert,
        says('END', 'COMMIT'),
      ],
      1,
    ],
    [
      'a released savepoint',
      [
        says('SAVEPOINT a', 'SAVEPOINT'),
        insert,
        says('SAVEPOINT b', 'SAVEPOINT'),
        insert,
        says('RELEASE SAVEPOINT a', 'RELEASE'),
        insert,
        says('END', 'COMMIT'),
      ],
      3,
    ],
    [
      'the latest savepoint of a name',
      [
        says('SAVEPOINT a', 'SAVEPOINT'),
        insert,
        says('SAVEPOINT a', 'SAVEPOINT'),
        insert,
        says('ROLLBACK TO a', 'ROLLBACK'),
        says('END', 'COMMIT'),
      ],
      1,
    ],
    [
      'everything if a savepoint is not found',
      [
        insert,
        says('SAVEPOINT a', 'SAVEPOINT'),
        insert,
        says('RELEASE U&"\\0061" UESCAPE !', 'RELEASE'),
        says('ROLLBACK TO b', 'ROLLBACK'),
        says('END', 'COMMIT'),
      ],
      2,
    ],
  ] as const)('of a transaction count %s', async (_what, statements, inserted) => {
    answers = [...statements.map(({ answer }) => answer), lost];
    for (const { text } of statements) await query({ text, transaction: TRANSACTION, table });
    await relay.call({ method: 'rollback', transaction: TRANSACTION }, 50);
    expect(counts()).toEqual(inserted === 0 ? [] : [['books', inserted, 0, 0]]);
  });
});
