// The calls of the API about sessions and proxies, for record-api.mjs.

/** Imports a session, and records the calls about it. */
export async function recordSessions({ go }) {
  const session = await go('importSiteSession', 'POST', '/joint-api/sessions/import', {
    name: 'shop',
    origins: ['https://shop.example'],
    content: 'shop.example\tFALSE\t/\tTRUE\t0\ttoken\tlantern-and-rope',
  });
  const path = `/joint-api/sessions/${session.id}`;
  await go('listSiteSessions', 'GET', '/joint-api/sessions/list');
  await go('getSiteSession', 'GET', path);
  await go('exportSiteSession', 'GET', `${path}/export`);
  await go('deleteSiteSession', 'DELETE', path);
}

/** Creates a pool with two proxies, and records the calls about it. */
export async function recordProxies({ go }) {
  const pool = await go('createProxyPool', 'POST', '/joint-api/proxy-pools/addnew', {
    name: 'residential',
    price_per_gb: 3.5,
  });
  const path = `/joint-api/proxy-pools/${pool.id}`;
  await go('addProxies', 'POST', `${path}/proxies/addnew`, {
    lines: 'http://ada:lantern-and-rope@proxy.example:8080 country=de\nsocks5://backup.example:1080 tier=2',
  });
  await go('listProxyPools', 'GET', '/joint-api/proxy-pools/list');
  await go('getProxyPool', 'GET', path);
  await go('updateProxyPool', 'PUT', path, { is_sticky: true });
  const { items } = await go('listProxies', 'GET', `${path}/proxies/list`);
  await go('updateProxy', 'PUT', `${path}/proxies/${items[1].id}`, { country: 'us', tier: 3 });
  await go('deleteProxy', 'DELETE', `${path}/proxies/${items[1].id}`);
  await go('deleteProxyPool', 'DELETE', path);
}
