import { mongo } from 'mongoose';
import { appForFile } from '../../../test/test-app.js';
import { databaseForFile } from '../../../test/test-mongo.js';
import { until } from '../../../test/until.js';
import { ImportsRepository } from './imports.repository.js';

const { app } = appForFile();
const database = databaseForFile(app);

type Body = Record<string, any>;

/** Uploads a file and starts its import, as soon as the account may have another open job. */
async function started(file: string, collection: string, settings: object = {}, name = 'x.csv'): Promise<string> {
  const upload = await database.api('POST', `/joint-api/imports/upload?file_name=${name}`, Buffer.from(file), {
    'content-type': 'text/csv',
  });
  const { id } = upload.body;
  const body = { db_id: database.id, collection, ...settings };
  const { status } = await until(
    () => database.api('POST', `/joint-api/imports/${id}/start`, body),
    answer => answer.status !== 429,
  );
  expect(status).toBe(202);
  return id;
}

const ended = (id: string): Promise<Body> =>
  until(
    async () => (await database.api('GET', `/joint-api/imports/${id}`)).body,
    ({ state }) => !['queued', 'running'].includes(state),
  );

afterEach(() => jest.restoreAllMocks());

describe('50 imports at once into one collection', () => {
  const ROWS = 20;

  test.each([true, false])('all store every row (the files have equal rows: %s)', async areEqual => {
    const { name, collection } = database.fresh();
    const rowsOf = (n: number) => Array.from({ length: ROWS }, (_, row) => (areEqual ? row : n * ROWS + row));
    const files = Array.from(
      { length: 50 },
      (_, n) =>
        `n,text\n${rowsOf(n)
          .map(row => `${row},x`)
          .join('\n')}\n`,
    );
    const ids = await Promise.all(files.map(file => started(file, name)));
    const outcomes = await Promise.all(ids.map(ended));
    const seen = outcomes.map(({ state, inserted, bad_rows }) => `${state} ${inserted} ${bad_rows}`);
    expect([...new Set(seen)]).toEqual([`done ${ROWS} 0`]);
    const numbers = (await collection.find().toArray()).map(({ n }) => n).sort((one, two) => one - two);
    expect(numbers).toEqual(files.flatMap((_, n) => rowsOf(n)).sort((one, two) => one - two));
  });
});

test('an import adds its rows to a collection that somebody else creates during the import', async () => {
  const { name, collection } = database.fresh();
  const repository = app.part(ImportsRepository);
  const begin = repository.beginMoving.bind(repository);
  jest.spyOn(repository, 'beginMoving').mockImplementationOnce(async (...call) => {
    await collection.insertOne({ n: -1 });
    return begin(...call);
  });
  expect(await ended(await started('n\n1\n2\n', name))).toMatchObject({ state: 'done', inserted: 2 });
  expect((await collection.find({}, { sort: { n: 1 } }).toArray()).map(({ n }) => n)).toEqual([-1, 1, 2]);
});

test('an import whose rows are all bad fails even with skip_bad_rows', async () => {
  const { name } = database.fresh();
  const columns = [{ index: 0, field: 'n', type: 'number' }];
  const failed = await ended(await started('n\nx\ny\n', name, { columns, skip_bad_rows: true }));
  expect(failed).toMatchObject({ state: 'failed', error_code: 'validation_failed', bad_rows: 2, inserted: null });
  expect(failed.error_message).toMatch(/^All rows are bad, so nothing was imported\. Row 1: n: "x" is not a number/);
  expect(await database.db.listCollections({ name }).toArray()).toEqual([]);
});

test('an import fails if its staging collection lacks rows', async () => {
  const { name } = database.fresh();
  const { prototype } = mongo.Collection;
  const { insertMany } = prototype;
  jest.spyOn(prototype, 'insertMany').mockImplementation(function (this: mongo.Collection, rows, options) {
    return insertMany.call(this, rows.slice(1), options);
  });
  expect(await ended(await started('n\n1\n2\n', name))).toMatchObject({ state: 'failed', inserted: null });
});
