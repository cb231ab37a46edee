import { unique, type World } from '../world.js';
import { oncePer, type Routes } from './route.js';

const collections = ({ owner: { things } }: World) => `/joint-api/mongo-collections/${things.db_id}`;

const freshCollection = async (world: World): Promise<string> =>
  (await world.owner.created(`${collections(world)}/addnew`, { name: unique() })).name;
const freshIndex = (world: World, collection = world.owner.things.collection) =>
  world.owner.created(`${collections(world)}/${collection}/indexes/addnew`, { keys: { [unique()]: 1 } });
const freshDatabase = (world: World) =>
  world.owner.created('/joint-api/mongo-databases/addnew', { name: `db ${unique()}` });

/**
 * Creates a collection that is too large for one response, whether the documents or the values of `text` are listed.
 */
const largeCollection = oncePer(async ({ owner }: World) => {
  const name = unique();
  for (let count = 0; count < 17; count += 1) {
    await owner.makeDocument({ text: `${count}${'x'.repeat(1024 * 1024)}` }, name);
  }
  return name;
});

/** Creates a collection of documents that all have the same `title`. */
async function sameTitles(world: World): Promise<string> {
  const name = await freshCollection(world);
  await world.owner.makeDocument({}, name);
  await world.owner.makeDocument({}, name);
  return name;
}

/** Creates a document that no other call deletes. */
const ownDocument = async ({ owner }: World) => ({ path: { doc_id: await owner.makeDocument() } });

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
    errors: {
      name_taken: async world => ({ body: { keys: (await freshIndex(world)).keys } }),
      storage_duplicate_key: async world => ({
        path: { collection: await sameTitles(world) },
        body: { keys: { title: 1 }, unique: true },
      }),
      quota_exceeded: async world => {
        const collection = await freshCollection(world);
        const path = `${collections(world)}/${collection}/indexes/addnew`;
        for (let count = 1; count < 32; count += 1) await world.owner.created(path, { keys: { [unique()]: 1 } });
        return { path: { collection }, body: { keys: { price: 1 } } };
      },
    },
  },
  deleteMongoIndex: {
    access: 'owned',
    call: async world => {
      const collection = await freshCollection(world);
      return { path: { collection, index_name: (await freshIndex(world, collection)).name } };
    },
    errors: { storage_rejected: () => ({ path: { index_name: '_id_' } }) },
  },

  listMongoDocuments: {
    access: 'owned',
    errors: {
      storage_rejected: () => ({ query: { filter: '{"$where":"true"}' } }),
      payload_too_large: async world => ({ path: { collection: await largeCollection(world) } }),
    },
  },
  listMongoDocumentsAsCsv: {
    access: 'owned',
    errors: {
      storage_rejected: () => ({ query: { filter: '{"$where":"true"}' } }),
      payload_too_large: async world => ({ path: { collection: await largeCollection(world) } }),
    },
  },
  countMongoDocuments: { access: 'owned', call: () => ({ query: { filter: '{"price":null}' } }) },
  listMongoValues: {
    access: 'owned',
    call: () => ({ query: { field: 'title' } }),
    errors: {
      payload_too_large: async world => ({
        path: { collection: await largeCollection(world) },
        query: { field: 'text' },
      }),
    },
  },
  groupMongoDocuments: {
    access: 'owned',
    call: () => ({ query: { by: 'title', of: 'price' } }),
    errors: {
      payload_too_large: async world => ({ path: { collection: await largeCollection(world) }, query: { by: 'text' } }),
    },
  },
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
      storage_duplicate_key: async world => {
        const collection = await freshCollection(world);
        const index = { keys: { isbn: 1 }, unique: true };
        await world.owner.created(`${collections(world)}/${collection}/indexes/addnew`, index);
        for (const isbn of [1, 2]) await world.owner.makeDocument({ isbn }, collection);
        return { path: { collection }, body: { filter: { isbn: 2 }, update: { $set: { isbn: 1 } } } };
      },
    },
  },
  deleteMongoDocuments: {
    access: 'owned',
    call: () => ({ body: { filter: { title: unique() } } }),
    errors: { storage_rejected: () => ({ body: { filter: { $where: 'true' } } }) },
  },
  getMongoDocument: { access: 'owned', call: ownDocument },
  updateMongoDocument: {
    access: 'owned',
    call: async world => ({ ...(await ownDocument(world)), body: { price: { $numberDecimal: '9.50' } } }),
  },
  deleteMongoDocument: { access: 'owned', call: ownDocument },
};
