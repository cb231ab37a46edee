import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const collections = ({ owner: { things } }: World) => `/joint-api/mongo-collections/${things.db_id}`;

const freshCollection = async (world: World): Promise<string> =>
  (await world.owner.created(`${collections(world)}/addnew`, { name: unique() })).name;
const freshIndex = (world: World) =>
  world.owner.created(`${collections(world)}/${world.owner.things.collection}/indexes/addnew`, {
    keys: { [unique()]: 1 },
  });
const freshDatabase = (world: World) =>
  world.owner.created('/joint-api/mongo-databases/addnew', { name: `db ${unique()}` });

/** A page of these is larger than one may be. */
const LARGE_DOCUMENTS = 17;
const MEGABYTE = 1024 * 1024;

export const mongoRoutes: Routes = {
  listMongoDatabases: { access: 'own' },
  createMongoDatabase: {
    access: 'own',
    call: () => ({ body: { name: `db ${unique()}` } }),
    errors: { name_taken: async world => ({ body: { name: (await freshDatabase(world)).name } }) },
  },
  getMongoDatabase: { access: 'owned' },
  updateMongoDatabase: {
    access: 'owned',
    call: async world => ({ path: { db_id: (await freshDatabase(world)).id }, body: { name: `db ${unique()}` } }),
    errors: { name_taken: async world => ({ body: { name: (await freshDatabase(world)).name } }) },
  },
  deleteMongoDatabase: {
    access: 'owned',
    call: async world => ({ path: { db_id: (await freshDatabase(world)).id } }),
  },

  listMongoCollections: { access: 'owned' },
  createMongoCollection: {
    access: 'owned',
    call: () => ({ body: { name: unique() } }),
    errors: { name_taken: ({ owner }) => ({ body: { name: owner.things.collection } }) },
  },
  getMongoCollection: { access: 'owned' },
  deleteMongoCollection: {
    access: 'owned',
    call: async world => ({ path: { collection: await freshCollection(world) } }),
  },
  copyMongoCollection: {
    access: 'owned',
    call: () => ({ body: { to: unique() } }),
    errors: { name_taken: async world => ({ body: { to: await freshCollection(world) } }) },
  },
  renameMongoCollection: {
    access: 'owned',
    call: async world => ({ path: { collection: await freshCollection(world) }, body: { to: unique() } }),
    errors: { name_taken: async world => ({ body: { to: await freshCollection(world) } }) },
  },
  listMongoIndexes: { access: 'owned' },
  createMongoIndex: {
    access: 'owned',
    call: async world => ({
      path: { collection: await freshCollection(world) },
      body: { keys: { price: -1, _id: -1 }, name: unique() },
    }),
    errors: { name_taken: async world => ({ body: { keys: (await freshIndex(world)).keys } }) },
  },
  deleteMongoIndex: {
    access: 'owned',
    call: async world => ({ path: { index_name: (await freshIndex(world)).name } }),
    errors: { storage_rejected: () => ({ path: { index_name: '_id_' } }) },
  },

  listMongoDocuments: {
    access: 'owned',
    errors: {
      storage_rejected: () => ({ query: { filter: '{"$where":"true"}' } }),
      payload_too_large: async ({ owner }) => {
        const large = { text: 'x'.repeat(MEGABYTE) };
        for (let count = 0; count < LARGE_DOCUMENTS; count += 1) await owner.makeDocument(large, 'large');
        return { path: { collection: 'large' } };
      },
    },
  },
  countMongoDocuments: { access: 'owned', call: () => ({ query: { filter: '{"price":null}' } }) },
  listMongoValues: { access: 'owned', call: () => ({ query: { field: 'title' } }) },
  aggregateMongoDocuments: {
    access: 'owned',
    scope: 'read',
    call: () => ({ body: { pipeline: [{ $group: { _id: '$title', n: { $sum: 1 } } }] } }),
    errors: { storage_rejected: () => ({ body: { pipeline: [{ $out: 'elsewhere' }] } }) },
  },
  createMongoDocument: {
    access: 'owned',
    call: () => ({ body: { title: unique(), price: { $numberDecimal: '9.50' } } }),
    errors: { storage_duplicate_key: ({ owner }) => ({ body: { _id: owner.things.doc_id } }) },
  },
  createMongoDocuments: {
    access: 'owned',
    call: () => ({ body: { documents: [{ title: unique() }, { _id: unique() }] } }),
    errors: { storage_duplicate_key: ({ owner }) => ({ body: { documents: [{ _id: owner.things.doc_id }] } }) },
  },
  updateMongoDocuments: {
    access: 'owned',
    call: () => ({ body: { filter: { title: unique() }, update: { $set: { checked: true } } } }),
    errors: {
      storage_rejected: () => ({ body: { filter: { $where: 'true' }, update: { $set: { checked: true } } } }),
    },
  },
  deleteMongoDocuments: {
    access: 'owned',
    call: () => ({ body: { filter: { title: unique() } } }),
    errors: { storage_rejected: () => ({ body: { filter: { $where: 'true' } } }) },
  },
  getMongoDocument: { access: 'owned' },
  updateMongoDocument: { access: 'owned', call: () => ({ body: { price: { $numberDecimal: '9.50' } } }) },
  deleteMongoDocument: {
    access: 'owned',
    call: async ({ owner }) => ({ path: { doc_id: await owner.makeDocument() } }),
  },
};
