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

/** Reports the use of proxies without connecting to them: no proxy is at hand when the calls are recorded. */
const USING_PROXIES = `module.exports = async totals => {
  const report = globalThis[Symbol.for('trawl.storage')];
  await report({ method: 'reportProxies', args: Buffer.from(JSON.stringify({ totals })) });
};
`;

/** Runs a skript that uses proxies, and records the call that lists them. */
async function recordRunProxies({ go, call }, [first, second]) {
  const skript = await call('POST', '/joint-api/skripts/addnew', { title: 'A crawl through proxies' });
  const file = { skript_id: skript.id, name: 'main.js', content: USING_PROXIES };
  await call('POST', '/joint-api/skript-files/addnew', file);
  const run = await call('POST', '/joint-api/execute-skript/single-worker/start', {
    skript_id: skript.id,
    input: [
      { id: first.id, connections: 240, failures: 3, bytes_sent: 48_000, bytes_received: 9_600_000 },
      { id: second.id, connections: 12, failures: 0, bytes_sent: 2_400, bytes_received: 480_000 },
    ],
  });
  await go('listRunProxies', 'GET', `/joint-api/skript-execution/${run.id}/proxies`);
  await call('DELETE', `/joint-api/skripts/${skript.id}`);
}

/** Creates a pool with two proxies, and records the calls about it. */
export async function recordProxies({ go, call }) {
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
  await recordRunProxies({ go, call }, items);
  await go('updateProxy', 'PUT', `${path}/proxies/${items[1].id}`, { country: 'us', tier: 3 });
  await go('deleteProxy', 'DELETE', `${path}/proxies/${items[1].id}`);
  await go('deleteProxyPool', 'DELETE', path);
}
