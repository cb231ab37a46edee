import type { Api } from '../test-app.js';

/** Adds a pool with a proxy, and returns their ids as path parameters. */
export async function makeProxy(api: Api, name: string): Promise<{ proxyPool_id: string; proxy_id: string }> {
  const { body: pool } = await api('POST', '/joint-api/proxy-pools/addnew', { name });
  const path = `/joint-api/proxy-pools/${pool.id}/proxies`;
  await api('POST', `${path}/addnew`, { lines: `http://ada:${name}@${name}.example:8080 country=de` });
  const { body: list } = await api('GET', `${path}/list`);
  return { proxyPool_id: pool.id, proxy_id: list.items[0].id };
}
