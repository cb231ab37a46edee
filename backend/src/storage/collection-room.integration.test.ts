import { startTestApp, type TestApp } from '../../test/test-app.js';
import { makeDatabase, type TestDatabase } from '../../test/test-mongo.js';
import { MAX_COLLECTIONS } from './collection-room.service.js';
import { StorageOperationsService } from './storage-operations.service.js';

jest.setTimeout(120_000);

let app: TestApp;
let database: TestDatabase;
beforeAll(async () => {
  app = await startTestApp();
  database = await makeDatabase(app);
});
afterAll(async () => {
  await database?.close();
  await app?.close();
});

it('a database has no more collections than it may, whatever would make them and however many at once', async () => {
  const { api, db, id } = database;
  const room = 3;
  const made = Array.from({ length: MAX_COLLECTIONS - room }, (_, n) => db.createCollection(`made-${n}`));
  await Promise.all(made);

  const [row] = await app.sql<{ owner_id: string; name: string }>(
    'SELECT owner_id, name FROM mongo_databases WHERE id = $1',
    [id],
  );
  const run = (collection: string, method: 'insertMany' | 'updateOne' | 'createIndex', args: object) =>
    app.part(StorageOperationsService).run(String(row?.owner_id), '0198a1c2-1111-7000-8000-000000000001', {
      db: String(row?.name),
      collection,
      method,
      args: JSON.stringify(args),
      resend: false,
    });
  const at = (collection: string) => `/joint-api/mongo/${id}/${collection}`;
  const makers: ((name: string) => Promise<unknown>)[] = [
    name => api('POST', `${at(name)}/addnew`, { n: 1 }),
    name => api('POST', `${at(name)}/addnew-many`, { documents: [{ n: 1 }] }),
    name => run(name, 'insertMany', { docs: [{ _id: 1 }], ordered: true }),
    name => run(name, 'updateOne', { filter: { _id: 1 }, update: { $set: { n: 1 } }, upsert: true }),
    name => run(name, 'createIndex', { keys: { n: 1 } }),
    name => api('POST', `/joint-api/mongo-collections/${id}/addnew`, { name }),
    name => api('POST', `/joint-api/mongo-collections/${id}/made-0/copy`, { to: name }),
  ];
  await Promise.all(makers.map((make, index) => make(`new-${index}`)));
  const names = async () => (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  expect(await names()).toHaveLength(MAX_COLLECTIONS);

  const refused = /1000 are the most|has 1000 collections/;
  for (const [index, make] of makers.entries()) {
    expect(JSON.stringify(await make(`more-${index}`))).toMatch(refused);
  }
  // What is there is written to as before, and a collection that is dropped makes room.
  expect((await api('POST', `${at('made-1')}/addnew`, { n: 1 })).status).toBe(201);
  expect((await api('DELETE', `/joint-api/mongo-collections/${id}/made-2`)).status).toBe(200);
  expect((await api('POST', `${at('made-2')}/addnew`, { n: 1 })).status).toBe(201);
  expect((await api('POST', `${at('more-1')}/addnew`, { n: 1 })).status).toBe(429);
  expect(await names()).toHaveLength(MAX_COLLECTIONS);
});
