import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const add = '/joint-api/keys/addnew';
const fresh = () => ({ name: unique(), scope: 'read' });
const nameOfAnother = async ({ owner }: World) => ({
  body: { ...fresh(), name: (await owner.created(add, fresh())).name },
});

export const apiKeyRoutes: Routes = {
  listApiKeys: { access: 'own' },
  createApiKey: {
    access: 'own',
    scope: 'session',
    call: () => ({ body: fresh() }),
    errors: { name_taken: nameOfAnother },
  },
  getApiKey: { access: 'owned' },
  updateApiKey: {
    access: 'owned',
    scope: 'session',
    call: () => ({ body: { name: unique() } }),
    errors: { name_taken: nameOfAnother },
  },
  deleteApiKey: {
    access: 'owned',
    scope: 'session',
    call: async ({ owner }) => ({ path: { key_id: await owner.create(add, fresh()) } }),
  },
};
