import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { StorageOperationsService } from '../runs/storage-operations.service.js';
import { CollectionLimitService, MAX_COLLECTIONS } from './collection-limit.service.js';

const { app } = appForFile();
const database = databaseForFile(app);

it('no route and no run exceeds the limit of collections in a MongoDB database, even concurrently', async () => {
  const { api, db, id } = database;
  const room = 3;
  const limit = isFullTest ? MAX_COLLECTIONS : 30;
  app.part(CollectionLimitService).maxCollections = limit;
  const made = Array.from({ length: limit - room }, (_, n) => db.createCollection(`made-${n}`));
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
      args: encodeMessage(args),
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
  expect(await names()).toHaveLength(limit);

  const refused = new RegExp(`has ${limit} collections`);
  for (const [index, make] of makers.entries()) {
    expect(JSON.stringify(await make(`more-${index}`))).toMatch(refused);
  }
  // At the limit, existing collections can still be written to, and dropping a collection makes room for another.
  expect((await api('POST', `${at('made-1')}/addnew`, { n: 1 })).status).toBe(201);
  expect((await api('DELETE', `/joint-api/mongo-collections/${id}/made-2`)).status).toBe(200);
  expect((await api('POST', `${at('made-2')}/addnew`, { n: 1 })).status).toBe(201);
  expect((await api('POST', `${at('more-1')}/addnew`, { n: 1 })).status).toBe(429);
  expect(await names()).toHaveLength(limit);
});
