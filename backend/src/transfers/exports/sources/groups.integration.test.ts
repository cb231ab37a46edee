import { BSONRegExp } from 'bson';
import { parse } from 'csv-parse/sync';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { until } from '../../../../test/until.js';
import { DocumentBatchesService } from '../../../data/storage/documents/document-batches.service.js';

const { app, developer } = appForFile();
const database = databaseForFile(app);

/** Runs an exporter, and returns its export and the rows of the CSV. */
async function exported(id: string) {
  const started = (await developer('POST', `/joint-api/exporters/${id}/run`)).body;
  const job = await until(
    async () => (await developer('GET', `/joint-api/exports/${started.id}`)).body,
    ({ ended_at }) => ended_at !== null,
  );
  const { pathname, search } = new URL(job.link);
  return { job, rows: parse((await app.anonymous('GET', pathname + search)).body) as string[][] };
}

it('an exporter exports the groups of a collection, as they are at that time', async () => {
  const { name, collection } = database.fresh();
  const group = { by: 'at', every: 'day', of: '$price', time_zone: 'Europe/Zagreb' };
  const body = { name: 'Prices by day', db_id: database.id, collection: name, filter: '{"kind":"book"}', group };
  const exporter = await developer('POST', '/joint-api/exporters/addnew', body);
  expect([exporter.status, exporter.body.group]).toEqual([201, group]);
  const at = new Date('2026-03-29T22:30:00Z');
  await collection.insertMany([
    { kind: 'book', at, $price: 10 },
    { kind: 'book', at, $price: '5' },
    { kind: 'pen', at, $price: 1 },
  ]);
  const { job, rows } = await exported(exporter.body.id);
  expect(job).toMatchObject({ state: 'done', rows: 1, source: 'collection' });
  expect(rows).toEqual([
    ['group', 'count', 'sum', 'average', 'min', 'max'],
    ['2026-03-29T22:00:00.000Z', '2', '15', '7.5', '5', '10'],
  ]);

  const path = `/joint-api/exporters/${exporter.body.id}`;
  expect((await developer('PUT', path, { only_new: true })).body.details[0].field).toBe('only_new');
  expect((await developer('PUT', path, { group: null })).body.group).toBeNull();
});

it('groups of megabytes are read in batches that fit one answer of MongoDB', async () => {
  const { name, collection } = database.fresh();
  const bytes = 1024 * 1024;
  for (let n = 0; n < 40; n++) await collection.insertOne({ text: String(n).padEnd(bytes) });
  const [row] = await app.sql<{ owner_id: string }>('SELECT owner_id FROM mongo_databases WHERE id = $1', [
    database.id,
  ]);
  const group = { by: 'text', time_zone: 'UTC' };
  const sizes: number[] = [];
  const read = app
    .part(DocumentBatchesService)

    .readGroups(String(row?.owner_id), database.id, name, { group, filter: {} }, new AbortController().signal);
  for await (const batch of read) sizes.push(batch.reduce((sum, { length }) => sum + length, 0));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(40 * bytes);
  expect(Math.max(...sizes)).toBeLessThan(17 * bytes);
});

it('groups of a regular expression that JavaScript cannot read are exported', async () => {
  const { name, collection } = database.fresh();
  await collection.insertMany([{ pattern: new BSONRegExp('(?i)x') }, { pattern: new BSONRegExp('(?i)x') }]);
  const body = { name: 'Patterns', db_id: database.id, collection: name, group: { by: 'pattern' } };
  const { id } = (await developer('POST', '/joint-api/exporters/addnew', body)).body;
  expect((await exported(id)).rows).toEqual([
    ['group', 'count'],
    ['/(?i)x/', '2'],
  ]);
});

it('an exporter exports the groups of a table', async () => {
  const sql = `CREATE TABLE "odd""name" AS SELECT n % 2 AS "a.b", n AS price FROM generate_series(1, 5) n`;
  expect((await developer('POST', '/joint-api/postgres/query', { sql, read_only: false })).status).toBe(200);
  const body = { name: 'Odd', source: 'table', table: 'odd"name', group: { by: 'a.b', of: 'price' } };
  const { id } = (await developer('POST', '/joint-api/exporters/addnew', body)).body;
  expect((await exported(id)).rows).toEqual([
    ['group', 'count', 'sum', 'average', 'min', 'max'],
    ['1', '3', '9', '3', '1', '5'],
    ['0', '2', '6', '3', '2', '4'],
  ]);
});

it.each([
  [{ source: 'query', sql: 'SELECT 1', group: { by: 'a' } }, 'group'],
  [{ source: 'run', execution_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071', group: { by: 'a' } }, 'group'],
  [{ collection: 'books', group: { by: 'a', time_zone: '+02:00' } }, 'group.time_zone'],
  [{ collection: 'books', group: { every: 'day' } }, 'group.by'],
  [{ collection: 'books', group: { by: 'a', $where: '1' } }, 'group.$where'],
])('groups are refused in the export %j', async (body, field) => {
  const answer = await developer('POST', '/joint-api/exports/addnew', { db_id: database.id, ...body });
  expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, field]);
});
