import { appForFile } from '../../../test/test-app.js';
import { AuditLog } from '../../platform/audit/audit-log.service.js';

const { app, developer } = appForFile();
const base = '/joint-api/proxy-pools';

beforeEach(() => app.sql('DELETE FROM proxy_pools'));

const addPool = async (fields: object = {}) =>
  (await developer('POST', `${base}/addnew`, { name: 'residential', ...fields })).body;
const addLines = (id: string, lines: string) => developer('POST', `${base}/${id}/proxies/addnew`, { lines });
const proxiesOf = async (id: string) => (await developer('GET', `${base}/${id}/proxies/list`)).body.items;

it('a pool is created, changed, listed and deleted, and the audit log has each change', async () => {
  const pool = await addPool({ is_sticky: true, price_per_gb: 3.5 });
  expect(pool).toEqual({
    id: expect.any(String),
    name: 'residential',
    is_sticky: true,
    price_per_gb: 3.5,
    proxies: 0,
    resting: 0,
    countries: [],
    tiers: [],
    connections: 0,
    failures: 0,
    bytes_sent: 0,
    bytes_received: 0,
    last_used_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect((await developer('POST', `${base}/addnew`, { name: 'residential' })).body.error_code).toBe('name_taken');
  const path = `${base}/${pool.id}`;
  expect((await developer('PUT', path, { name: 'datacenter' })).body).toMatchObject({
    name: 'datacenter',
    is_sticky: true,
    price_per_gb: 3.5,
  });
  expect((await developer('PUT', path, { price_per_gb: null })).body.price_per_gb).toBeNull();
  await addLines(pool.id, 'http://a.example:1');
  expect((await developer('GET', `${base}/list?name_contains=CENTER`)).body.items).toMatchObject([{ proxies: 1 }]);
  const [proxy] = await proxiesOf(pool.id);
  expect((await developer('DELETE', `${path}/proxies/${proxy.id}`)).body).toEqual({ deleted: { proxies: 1 } });
  expect((await developer('DELETE', `${path}/proxies/${proxy.id}`)).status).toBe(404);
  await addLines(pool.id, 'http://a.example:1\nhttp://b.example:1');
  expect((await developer('DELETE', path)).body).toEqual({ deleted: { proxy_pools: 1, proxies: 2 } });
  expect((await developer('GET', path)).status).toBe(404);
  await app.part(AuditLog).flush();
  const entries = await app.sql<{ action: string; target_name: string; fields: string[] }>(
    `SELECT action, target_name, fields FROM audit_log WHERE target_id LIKE $1 ORDER BY id`,
    [`${pool.id}%`],
  );
  expect(entries.map(entry => [entry.action, entry.target_name])).toEqual([
    ['createProxyPool', 'residential'],
    ['updateProxyPool', 'datacenter'],
    ['updateProxyPool', 'datacenter'],
    ['addProxies', 'datacenter'],
    ['deleteProxy', 'datacenter / http://a.example:1'],
    ['addProxies', 'datacenter'],
    ['deleteProxyPool', 'datacenter'],
  ]);
});

it('proxies are added without showing their passwords, and added again only get other tags', async () => {
  const { id } = await addPool();
  const lines =
    'http://ada:very-secret@gate.example:8080 country=de\nsocks5://bob:very-secret@gate.example:1080 tier=2';
  expect(await addLines(id, lines)).toMatchObject({ status: 200, body: { added: 2, known: 0 } });
  expect((await addLines(id, 'http://ada:very-secret@gate.example:8080 country=us\nhttp://x.example')).body).toEqual({
    added: 1,
    known: 1,
  });
  const { body: list } = await developer('GET', `${base}/${id}/proxies/list`);
  expect(list.items.map((proxy: any) => [proxy.address, proxy.country, proxy.tier, proxy.state])).toEqual([
    ['http://gate.example:8080', 'us', 1, 'unused'],
    ['http://x.example:80', null, 1, 'unused'],
    ['socks5://gate.example:1080', null, 2, 'unused'],
  ]);
  const { body: pool } = await developer('GET', `${base}/${id}`);
  expect(pool).toMatchObject({ proxies: 3, countries: ['us'], tiers: [1, 2] });
  expect(JSON.stringify([list, pool])).not.toMatch(/secret|\bada\b|\bbob\b/);
  const stored = await app.sql('SELECT * FROM proxies');
  expect(stored.map(row => Buffer.from(JSON.stringify(row)).toString('latin1')).join()).not.toContain('secret');
});

it('the tags of a proxy are changed without its address, each by itself', async () => {
  const { id } = await addPool();
  await addLines(id, 'http://ada:rope@gate.example:8080 country=de tier=2');
  const [{ id: proxyId }] = await proxiesOf(id);
  const change = (body: object) => developer('PUT', `${base}/${id}/proxies/${proxyId}`, body);
  expect((await change({ country: 'us' })).body).toMatchObject({
    address: 'http://gate.example:8080',
    country: 'us',
    tier: 2,
  });
  expect((await change({ country: null, tier: 1 })).body).toMatchObject({ country: null, tier: 1 });
  expect(await proxiesOf(id)).toMatchObject([{ country: null, tier: 1 }]);
  expect((await change({ country: 'D1' })).body.error_message).toContain('two small letters');
  expect((await change({ tier: 10 })).status).toBe(400);
  const { body: other } = await developer('POST', `${base}/addnew`, { name: 'other' });
  expect((await developer('PUT', `${base}/${other.id}/proxies/${proxyId}`, { tier: 3 })).status).toBe(404);
});

it('one wrong line refuses the whole list, names the line, and does not show it', async () => {
  const { id } = await addPool();
  const answer = await addLines(id, 'http://a.example:1\n\nhttp://ada:rope@:1');
  expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'lines' }] } });
  expect(answer.body.error_message).toContain('Line 3');
  expect(answer.body.error_message).not.toContain('rope');
  expect((await addLines(id, '# nothing')).body.error_message).toContain('The list has no proxies');
  expect((await addLines(id, 'x'.repeat(1_000_000))).status).toBe(400);
  expect((await addLines(id, 'x'.repeat(1_000_001))).body.error_message).toContain('1000000 characters');
  expect(await proxiesOf(id)).toEqual([]);
});

it('the same proxies again are known, and the quota counts proxies and pools', async () => {
  const { id } = await addPool();
  const lines = (from: number) =>
    Array.from({ length: 1_999 }, (_, n) => `http://ada-${from + n}:rope@gate.example:8080`).join('\n');
  await app.sql(`UPDATE users SET quotas = '{"proxies": 2000}' WHERE username = 'developer'`);
  try {
    expect((await addLines(id, lines(0))).body).toEqual({ added: 1_999, known: 0 });
    expect((await addLines(id, lines(0))).body).toEqual({ added: 0, known: 1_999 });
    const refused = await addLines(id, lines(1));
    expect(refused).toMatchObject({ status: 429, body: { error_code: 'quota_exceeded' } });
    expect(refused.body.error_message).toContain('quota of 2,000 proxies and pools of proxies; you have 2000');
    expect((await developer('POST', `${base}/addnew`, { name: 'more' })).status).toBe(429);
  } finally {
    await app.sql(`UPDATE users SET quotas = '{}' WHERE username = 'developer'`);
  }
});

it('a pool is created with its proxies, and a wrong line or a full quota leaves no pool', async () => {
  const body = { name: 'residential', lines: 'http://a.example:1 country=de\nsocks5://b.example:2 tier=2' };
  const created = await developer('POST', `${base}/addnew`, body);
  expect(created).toMatchObject({ status: 201, body: { proxies: 2, countries: ['de'], tiers: [1, 2] } });
  expect(await proxiesOf(created.body.id)).toMatchObject([
    { address: 'http://a.example:1' },
    { address: 'socks5://b.example:2' },
  ]);
  const wrong = { name: 'wrong', lines: 'http://a.example:1\nhttp://ada:rope@:1' };
  expect(await developer('POST', `${base}/addnew`, wrong)).toMatchObject({
    status: 400,
    body: { error_message: expect.stringContaining('Line 2'), details: [{ field: 'lines' }] },
  });
  const path = `${base}/${created.body.id}`;
  expect((await developer('PUT', path, { lines: 'http://c.example:1' })).status).toBe(400);
  await app.sql(`UPDATE users SET quotas = '{"proxies": 5}' WHERE username = 'developer'`);
  try {
    const many = { name: 'many', lines: 'http://a.example:1\nhttp://b.example:1' };
    expect((await developer('POST', `${base}/addnew`, many)).status).toBe(429);
  } finally {
    await app.sql(`UPDATE users SET quotas = '{}' WHERE username = 'developer'`);
  }
  expect((await developer('GET', `${base}/list`)).body).toMatchObject({ total: 1 });
});

it('the state of a proxy follows its use', async () => {
  const { id } = await addPool();
  await addLines(id, ['a', 'b', 'c', 'd'].map(name => `http://${name}.example:1`).join('\n'));
  await app.sql(`UPDATE proxies SET last_used_at = now() WHERE address NOT LIKE '%a.%'`);
  await app.sql(`UPDATE proxies SET failures_in_row = 3, rests_until = now() + CASE WHEN address LIKE '%c.%'
    THEN interval '-1 s' ELSE interval '1 h' END WHERE address LIKE '%c.%' OR address LIKE '%d.%'`);
  const { body } = await developer('GET', `${base}/${id}/proxies/list?sort=address`);
  expect(body.items.map(({ state }: any) => state)).toEqual(['unused', 'healthy', 'failing', 'resting']);
  expect(body.items.map(({ rests_until }: any) => rests_until !== null)).toEqual([false, false, false, true]);
  await app.sql(`UPDATE proxies SET address = CASE WHEN address LIKE '%a.%' THEN 'socks4://a.example:1080'
    ELSE replace(address, ':1', ':0') END WHERE address NOT LIKE '%b.%'`);
  const { items } = (await developer('GET', `${base}/${id}/proxies/list?sort=address`)).body;
  expect(items.map(({ address, state }: any) => [address, state])).toEqual([
    ['http://b.example:1', 'healthy'],
    ['http://c.example:0', 'unusable'],
    ['http://d.example:0', 'unusable'],
    ['socks4://a.example:1080', 'unusable'],
  ]);
});
