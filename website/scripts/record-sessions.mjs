// The calls of the API about sessions, for record-api.mjs.

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
