import { makeProxy } from '../rows/make-proxy.js';
import { unique, type World } from '../world.js';
import { type Routes, takenName } from './route.js';

const add = '/joint-api/proxy-pools/addnew';
const fresh = () => ({ name: unique(), is_sticky: true, price_per_gb: 3.5 });
const added = async ({ owner }: World) => ({ path: { ...(await makeProxy(owner.api, unique())) } });

export const proxyRoutes: Routes = {
  listProxyPools: { access: 'own' },
  createProxyPool: {
    access: 'own',
    call: () => ({ body: fresh() }),
    errors: {
      name_taken: async ({ owner }) => {
        const body = fresh();
        await owner.create(add, body);
        return { body };
      },
    },
  },
  getProxyPool: { access: 'owned' },
  updateProxyPool: {
    access: 'owned',
    call: () => ({ body: { price_per_gb: null } }),
    errors: { name_taken: takenName(add, fresh) },
  },
  deleteProxyPool: { access: 'owned', call: added },
  listProxies: { access: 'owned' },
  addProxies: {
    access: 'owned',
    call: () => ({ body: { lines: `socks5://${unique()}.example:1080 tier=2` } }),
  },
  updateProxy: { access: 'owned', call: () => ({ body: { country: 'us', tier: 3 } }) },
  deleteProxy: { access: 'owned', call: added },
};
