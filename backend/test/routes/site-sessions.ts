import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const ORIGIN = 'https://shop.example';
const fresh = () => ({
  name: unique(),
  origins: [ORIGIN],
  content: JSON.stringify([{ name: 'token', value: 'x', domain: 'shop.example' }]),
});
const added = async ({ owner }: World) => ({
  path: { siteSession_id: await owner.create('/joint-api/sessions/import', fresh()) },
});

export const siteSessionRoutes: Routes = {
  listSiteSessions: { access: 'own' },
  importSiteSession: {
    access: 'own',
    scope: 'all',
    call: () => ({ body: fresh() }),
    errors: {
      payload_too_large: () => ({
        body: {
          ...fresh(),
          content: JSON.stringify(Array(110).fill({ name: 'n', value: 'x'.repeat(4_000), domain: 'shop.example' })),
        },
      }),
    },
  },
  getSiteSession: { access: 'owned' },
  exportSiteSession: { access: 'owned', scope: 'all' },
  deleteSiteSession: { access: 'owned', call: added },
};
