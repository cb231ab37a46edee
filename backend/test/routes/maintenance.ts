import type { World } from '../world.js';
import type { Routes } from './route.js';

const path = '/joint-api/maintenance';
/** Ends by itself in a moment, so that it delays no run of other tests. */
const short = () => ({ message: 'Back in a moment.', until: new Date(Date.now() + 1_000).toISOString() });

export const maintenanceRoutes: Routes = {
  startMaintenance: { access: 'admin', call: () => ({ body: short() }) },
  endMaintenance: {
    access: 'admin',
    call: async ({ admin }: World) => {
      await admin.api('PUT', path, { message: 'Ended by the call.' });
      return {};
    },
    errors: {
      not_found: async ({ admin }: World) => {
        await admin.api('DELETE', path);
        return {};
      },
    },
  },
};
