import { v7 as uuidv7 } from 'uuid';
import { appForFile } from '../../../../test/test-app.js';
import { makeWorkerAndSkript } from '../../../../test/test-worker.js';

const { app, developer } = appForFile();
let ownerId: string;

const SKRIPTS = '/joint-api/skripts/list';
const EXECUTIONS = '/joint-api/skript-execution/list';

beforeAll(async () => {
  const [owner] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  ownerId = (owner as { id: string }).id;
  // Many rows have the same category and time, so that only the id determines their order.
  await app.sql(
    `INSERT INTO skripts (id, owner_id, title, category, created_at)
     SELECT gen_random_uuid(), $1, 'list ' || n, 'category ' || n % 3, timestamptz '2026-01-01 00:00:00.123456Z' + n % 5 * interval '1 microsecond'
     FROM generate_series(1, 40) n`,
    [ownerId],
  );
});

/** Reads a list page by page, and calls `between` after each page. */
async function walk(path: string, between: () => Promise<unknown> = async () => {}): Promise<any[]> {
  const items: any[] = [];
  for (let after = ''; ; ) {
    const { status, body } = await developer('GET', `${path}${after && `&after=${after}`}`);
    expect([status, body.error_message]).toEqual([200, undefined]);
    items.push(...body.items);
    if (body.next === undefined) return items;
    after = body.next;
    await between();
  }
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);

it.each([
  'created_at',
  '-created_at',
  'title',
  'category',
  '-category',
  '-category,title',
  'category,-created_at,title',
])('sorted by %s, the pages of a list contain each item once', async sort => {
  const { body } = await developer('GET', `${SKRIPTS}?limit=1000&sort=${sort}`);
  expect(idsOf(await walk(`${SKRIPTS}?limit=7&sort=${sort}`))).toEqual(idsOf(body.items));
  expect(body.next).toBeUndefined();
});

it('pages of a list are not shifted by items that are added before or after them', async () => {
  const { body } = await developer('GET', `${SKRIPTS}?limit=1000&sort=title`);
  let n = 0;
  const add = async () => {
    n += 1;
    for (const title of [`a ${n}`, `z ${n}`]) await developer('POST', '/joint-api/skripts/addnew', { title });
  };
  const seen = idsOf(await walk(`${SKRIPTS}?limit=9&sort=title`, add));
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter(id => idsOf(body.items).includes(id))).toEqual(idsOf(body.items));
});

it('a list has its total on every page, and no next cursor on the last page', async () => {
  const first = (await developer('GET', `${SKRIPTS}?limit=20&category=category 1`)).body;
  expect(first).toMatchObject({ total: 14, limit: 20, skip: 0 });
  expect(first.next).toBeUndefined();
  const two = (await developer('GET', `${SKRIPTS}?limit=10&category=category 1`)).body;
  const last = (await developer('GET', `${SKRIPTS}?limit=10&category=category 1&after=${two.next}`)).body;
  expect([last.total, last.items.length, last.next]).toEqual([14, 4, undefined]);
});

describe('a list sorted by a field that is null in some items', () => {
  beforeAll(async () => {
    const { skriptId } = await makeWorkerAndSkript(app, 'nothing');
    await app.sql(
      `INSERT INTO api_keys (id, user_id, name, scope, key_hash, expires_at)
       SELECT gen_random_uuid(), $1, 'key ' || n, 'read', n::text::bytea, CASE WHEN n % 3 > 0 THEN now() + n % 4 * interval '1 day' END
       FROM generate_series(1, 12) n`,
      [ownerId],
    );
    await app.sql(
      `INSERT INTO schedules (id, owner_id, name, cron_span, time_zone, skript_id, overlap, catch_up, enabled, next_fire_at)
       SELECT gen_random_uuid(), $1, 'schedule ' || n, '0 0 1 1 *', 'UTC', $2, 'skip', 'skip', false,
         CASE WHEN n % 3 > 0 THEN now() + n % 4 * interval '1 day' END
       FROM generate_series(1, 12) n`,
      [ownerId, skriptId],
    );
  });

  it.each([
    ['/joint-api/keys/list', 'expires_at'],
    ['/joint-api/keys/list', '-expires_at'],
    ['/joint-api/schedules/list', 'next_fire_at'],
    ['/joint-api/schedules/list', '-next_fire_at'],
  ])('%s by %s: the pages contain each item of the list once', async (path, sort) => {
    const { body } = await developer('GET', `${path}?limit=1000&sort=${sort}`);
    expect(body.items).toHaveLength(12);
    for (const limit of [1, 5]) {
      expect(idsOf(await walk(`${path}?limit=${limit}&sort=${sort}`))).toEqual(idsOf(body.items));
    }
  });
});

describe('a cursor of a list is refused', () => {
  const cursor = async (query: string) => (await developer('GET', `${SKRIPTS}?limit=5&${query}`)).body.next as string;
  const refused = async (query: string) => {
    expect(await developer('GET', `${SKRIPTS}?${query}`)).toMatchObject({
      status: 400,
      body: { error_code: 'validation_failed', details: [{ field: 'after' }] },
    });
  };

  it('with another sort, another filter, or a skip', async () => {
    const next = await cursor('sort=title');
    await refused(`sort=-title&after=${next}`);
    await refused(`after=${next}`);
    await refused(`sort=title&category=general&after=${next}`);
    await refused(`sort=title&skip=5&after=${next}`);
  });

  it('if it is forged', async () => {
    const next = JSON.parse(Buffer.from(await cursor('sort=created_at'), 'base64url').toString());
    const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const [list, counted, time, id] = next;
    await refused(`sort=created_at&after=x`);
    await refused(`sort=created_at&after=${forged(list, counted, 'no time', id)}`);
    await refused(`sort=created_at&after=${forged(list, counted, time, "' OR true")}`);
    await refused(`sort=created_at&after=${forged(list, counted, { a: 1 }, id)}`);
    await refused(`sort=created_at&after=${forged(list, 'many', time, id)}`);
    await refused(`sort=created_at&after=${forged(list, counted, time)}`);
    await refused(`sort=created_at&after=${Buffer.from('null').toString('base64url')}`);
  });
});

describe('the list of runs', () => {
  // Partitions exist for the months around the present.
  const today = new Date().toISOString().slice(0, 10);
  let skriptId: string;

  beforeAll(async () => {
    ({ skriptId } = await makeWorkerAndSkript(app, 'runs'));
    for (let n = 0; n < 25; n++) {
      const msecs = Date.parse(`${today}T10:00:00Z`) + n * 1_000;
      await app.sql(
        `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
         VALUES ($1, $2, $3, 'runs', 'general', '', 'end')`,
        [uuidv7({ msecs }), ownerId, skriptId],
      );
    }
  });

  it.each(['created_at', '-created_at', 'id', '-id'])('can be paged by cursor, sorted by %s', async sort => {
    const { body } = await developer('GET', `${EXECUTIONS}?limit=1000&sort=${sort}`);
    expect(body.items).toHaveLength(25);
    expect(await walk(`${EXECUTIONS}?limit=4&sort=${sort}`)).toEqual(body.items);
  });

  it('contains the runs of a time span, including its start and excluding its end', async () => {
    const span = `created_from=${today}T10:00:05Z&created_to=${today}T11:00:10%2B01:00`;
    expect((await developer('GET', `${EXECUTIONS}?${span}`)).body.total).toBe(5);
    expect(await walk(`${EXECUTIONS}?limit=2&${span}`)).toHaveLength(5);
    expect(await developer('GET', `${EXECUTIONS}?created_from=yesterday`)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'created_from' }] },
    });
  });
});

it('the total of a list is capped at 10,000, and exact as soon as a page reaches the end', async () => {
  const { skriptId } = await makeWorkerAndSkript(app, 'many runs');
  await app.sql(
    `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
     SELECT uuidv7(), $1, $2, 'many runs', 'general', '', 'end' FROM generate_series(1, 10001)`,
    [ownerId, skriptId],
  );
  const list = async (page: string) => (await developer('GET', `${EXECUTIONS}?skript_id=${skriptId}&${page}`)).body;
  expect(await list('limit=10')).toMatchObject({ total: 10_000, total_capped: true });
  await app.sql(
    `DELETE FROM executions WHERE skript_id = $1
       AND id NOT IN (SELECT id FROM executions WHERE skript_id = $1 ORDER BY id DESC LIMIT 7)`,
    [skriptId],
  );
  for (const page of ['limit=10', 'limit=7', 'limit=5&skip=5']) {
    const { total, total_capped } = await list(page);
    expect([page, total, total_capped]).toEqual([page, 7, undefined]);
  }
});

it.each(['/apps/workers/list', '/joint-api/skript-files/list', '/joint-api/mongo-databases/list'])(
  'the list %s can be paged by cursor',
  async path => {
    const { body } = await developer('GET', `${path}?limit=1000`);
    expect(body.items.length).toBeGreaterThan(0);
    expect(idsOf(await walk(`${path}?limit=1`))).toEqual(idsOf(body.items));
  },
);
