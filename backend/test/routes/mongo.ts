import type { Routes } from './route.js';

export const mongoRoutes: Routes = {
  listMongoDatabases: { access: 'own' },
  listMongoCollections: { access: 'owned' },
  listMongoDocuments: { access: 'owned' },
  getMongoDocument: { access: 'owned' },
  updateMongoDocument: { access: 'owned', call: () => ({ body: { price: { $numberDecimal: '9.50' } } }) },
  deleteMongoDocument: {
    access: 'owned',
    call: async ({ owner }) => ({ path: { doc_id: await owner.makeDocument() } }),
  },
};
