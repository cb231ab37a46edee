import { unique } from '../world.js';
import type { Routes } from './route.js';

export const workerRoutes: Routes = {
  listWorkers: { access: 'own' },
  createWorker: {
    access: 'admin',
    call: () => ({ body: { name: unique() } }),
    errors: {
      name_taken: async ({ admin }) => {
        const { name } = await admin.created('/joint-api/workers/addnew', { name: unique() });
        return { body: { name } };
      },
    },
  },
};
