import { randomUUID } from 'node:crypto';
import { appForFile } from '../../../test/test-app.js';
import { AuditLog } from '../../platform/audit/audit-log.service.js';
import { PoliteDomainsRepository } from './polite-domains.repository.js';

const { app, developer, admin } = appForFile();
const PATH = '/joint-api/polite-domains';
let ownerId: string;

beforeEach(async () => {
  await app.sql('DELETE FROM polite_domains');
  const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  ownerId = user?.id ?? '';
});

const set = (domain: string, body: object) => developer('PUT', `${PATH}/${encodeURIComponent(domain)}`, body);
const get = async (domain: string, as = developer) => (await as('GET', `${PATH}/${encodeURIComponent(domain)}`)).body;
const list = async (query = ''): Promise<any[]> => (await developer('GET', `${PATH}/list${query}`)).body.items;
const reserve = (domain: string, wanted: number) =>
  app.part(PoliteDomainsRepository).reserve(ownerId, randomUUID(), [[domain, wanted, false]]);
const OPEN = { max_concurrency: null, robots: 'obey', crawl_delay_ms: null, closed_until: null };
const DEFAULT = { requests_per_second: 5, burst: 5, source: 'default', ...OPEN };

test('a domain has its own budget, else that of the account, else that of Trawl', async () => {
  expect(await get('shop.example')).toEqual({ domain: 'shop.example', ...DEFAULT });
  const usual = { domain: '*', requests_per_second: 2, burst: 5, source: 'account', ...OPEN };
  expect((await set('*', { requests_per_second: 2 })).body).toEqual(usual);
  expect(await get('shop.example')).toEqual({ ...usual, domain: 'shop.example' });
  const own = { domain: 'shop.example', requests_per_second: 0.5, burst: 1, source: 'domain', ...OPEN };
  const put = await set('shop.example', { requests_per_second: 0.5, burst: 1 });
  expect([put.status, put.body]).toEqual([200, own]);
  expect(await reserve('shop.example', 10)).toMatchObject([{ granted: 1, interval_ms: 2_000 }]);
  expect(await get('shop.example', admin)).toEqual({ domain: 'shop.example', ...DEFAULT });

  const gone = await developer('DELETE', `${PATH}/shop.example`);
  expect([gone.status, gone.body]).toEqual([200, { deleted: { polite_domains: 1 } }]);
  expect(await get('shop.example')).toEqual({ ...usual, domain: 'shop.example' });
  const again = await developer('DELETE', `${PATH}/shop.example`);
  expect([again.status, again.body.error_message]).toEqual([404, 'You have no settings for the domain shop.example.']);
  await developer('DELETE', `${PATH}/*`);
  expect((await list()).map(({ domain }) => domain)).not.toContain('*');
});

test('a new budget applies to the next request, whatever was reserved before', async () => {
  await set('shop.example', { requests_per_second: 0.01, burst: 1 });
  await reserve('shop.example', 1);
  expect(await reserve('shop.example', 1)).toMatchObject([{ granted: 0 }]);
  await set('shop.example', { requests_per_second: 10, burst: 2 });
  const [slots] = await reserve('shop.example', 2);
  expect(slots).toMatchObject({ granted: 2, interval_ms: 100 });
  expect(slots?.start_ms).toBeLessThanOrEqual(0);
});

test('the names of a host are one domain, and a text that is no host is refused', async () => {
  for (const name of ['SHOP.example', 'shop.example:443', 'shop.example:80']) {
    expect((await set(name, { burst: 2 })).body.domain).toBe('shop.example');
  }
  expect((await set('shop.example:8080', {})).body.domain).toBe('shop.example:8080');
  expect((await set('[::1]:3000', {})).body.domain).toBe('[::1]:3000');
  expect((await set('bücher.example', {})).body.domain).toBe('xn--bcher-kva.example');
  expect(await list()).toHaveLength(4);
  for (const name of ['a b', 'https://shop.example', 'user@shop.example', 'a/b', 'a'.repeat(300), 'a:99999', 'a\0']) {
    const { status, body } = await set(name, {});
    expect([name, status]).toEqual([name, 400]);
    expect(body.error_message).toContain('domain must be a host such as shop.example');
  }
});

test('a closed domain is listed as closed, and can be opened', async () => {
  await app.part(PoliteDomainsRepository).close(ownerId, 'shop.example', 60_000);
  await set('other.example', { burst: 3 });
  expect((await list()).map(({ domain }) => domain)).toEqual(['other.example', 'shop.example']);
  expect((await list('?show=set')).map(({ domain }) => domain)).toEqual(['other.example']);
  expect(await list('?domain_contains=%25')).toEqual([]);
  const [closed] = await list('?show=closed&domain_contains=shop');
  expect(closed).toEqual({ domain: 'shop.example', ...DEFAULT, closed_until: expect.any(String) });
  expect((await admin('POST', `${PATH}/shop.example/reopen`)).body.closed_until).toBeNull();
  expect(await reserve('shop.example', 1)).toMatchObject([{ granted: 0, is_closed: true }]);
  const opened = await developer('POST', `${PATH}/shop.example/reopen`);
  expect([opened.status, opened.body]).toEqual([200, { domain: 'shop.example', ...DEFAULT }]);
  expect(await reserve('shop.example', 1)).toMatchObject([{ granted: 1, is_closed: false }]);
  expect(await app.part(PoliteDomainsRepository).close(ownerId, 'shop.example', null)).toBe(5_000);
});

test('an account sets at most 1,000 domains, and can change and reset those that it has', async () => {
  await app.sql(
    `INSERT INTO polite_domains (owner_id, domain, requests_per_second, burst)
     SELECT $1, 'h' || n, 1, 1 FROM generate_series(1, 999) n`,
    [ownerId],
  );
  const answers = await Promise.all(['a.example', 'b.example', 'c.example'].map(name => set(name, {})));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  expect((await set('h1', { burst: 7 })).body.burst).toBe(7);
  await developer('DELETE', `${PATH}/h2`);
  expect((await set('d.example', {})).status).toBe(200);
});

test('the audit log names the domain whose budget was changed', async () => {
  await set('audited.example', {});
  await app.part(AuditLog).flush();
  expect(await app.sql(`SELECT action, target_id FROM audit_log WHERE target_id = 'audited.example'`)).toEqual([
    { action: 'setPoliteDomain', target_id: 'audited.example' },
  ]);
});

test('a crawl delay widens the interval of runs that obey robots.txt, up to a minute', async () => {
  const delay = (ms: number) => app.part(PoliteDomainsRepository).setCrawlDelay(ownerId, 'shop.example', ms);
  expect(await reserve('shop.example', 1)).toMatchObject([{ robots: 'obey', crawl_delay_ms: 0, interval_ms: 200 }]);
  await delay(2_000);
  expect((await get('shop.example')).crawl_delay_ms).toBe(2_000);
  expect(await reserve('shop.example', 9)).toMatchObject([{ granted: 1, crawl_delay_ms: 2_000, interval_ms: 2_000 }]);
  await set('shop.example', { robots: 'ignore' });
  expect(await reserve('shop.example', 9)).toMatchObject([{ granted: 5, robots: 'ignore', interval_ms: 200 }]);
  await set('shop.example', { requests_per_second: 0.1, burst: 3 });
  expect(await reserve('shop.example', 9)).toMatchObject([{ granted: 3, robots: 'obey', interval_ms: 10_000 }]);
  await delay(86_400_000);
  expect((await get('shop.example')).crawl_delay_ms).toBe(60_000);
  await delay(0);
  expect((await get('shop.example')).crawl_delay_ms).toBeNull();
  await set('*', { robots: 'warn' });
  expect(await get('other.example')).toMatchObject({ robots: 'warn', source: 'account' });
});
