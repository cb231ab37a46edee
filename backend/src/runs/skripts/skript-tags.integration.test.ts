import { appForFile } from '../../../test/test-app.js';
import { makeSchedule } from '../../../test/test-schedules.js';

const { app, developer: api, admin } = appForFile();

let n = 0;
const add = async (fields: object = {}) =>
  (await api('POST', '/joint-api/skripts/addnew', { title: `Tagged ${++n}`, ...fields })).body;
const put = (id: string, fields: object, as = api) => as('PUT', `/joint-api/skripts/${id}`, fields);
const list = async (query: string) => (await api('GET', `/joint-api/skripts/list?${query}`)).body.items;

test('an owner sets tags and favourites of a skript without changing it', async () => {
  const made = await add();
  expect(made).toMatchObject({ tags: [], favourite: false });
  const { body } = await put(made.id, { tags: ['daily', 'Großhandel 2'], favourite: true });
  expect(body).toMatchObject({ tags: ['daily', 'Großhandel 2'], favourite: true, updated_at: made.updated_at });
  expect((await put(made.id, { description: 'New' })).body).toMatchObject({ tags: body.tags, favourite: true });
  expect((await put(made.id, { favourite: false }, admin)).status).toBe(404);
});

test('a list of skripts can be filtered by tag and sorted by favourites', async () => {
  const [plain, tagged, favourite] = [
    await add(),
    await add({ tags: ['shop', 'weekly'] }),
    await add({ tags: ['weekly'], favourite: true }),
  ];
  expect((await list('tag=shop')).map(({ id }: any) => id)).toEqual([tagged.id]);
  expect(await list('tag=sho')).toEqual([]);
  expect(await list('tag=weekly&sort=title&select=tags')).toEqual([
    { id: tagged.id, tags: ['shop', 'weekly'] },
    { id: favourite.id, tags: ['weekly'] },
  ]);
  const [first, ...others] = await list('sort=-favourite,-updated_at');
  expect([first.id, others.map(({ id }: any) => id)]).toEqual([
    favourite.id,
    expect.arrayContaining([plain.id, tagged.id]),
  ]);
});

test.each([
  ['eleven', Array.from({ length: 11 }, (_, tag) => `t${tag}`), 'no more than 10'],
  ['a long one', ['x'.repeat(31)], '1 to 30 characters'],
  ['an empty one', [''], '1 to 30 characters'],
  ['one with a comma', ['a,b'], 'without commas'],
  ['one with a space at its end', ['a '], 'without spaces at its ends'],
  ['one with a line break', ['a\nb'], '1 to 30 characters'],
  ['the same twice', ['a', 'a'], 'name each tag once'],
  ['a number', [1], '1 to 30 characters'],
  ['a text', 'daily', 'must be an array'],
])('the API refuses tags: %s', async (_kind, tags, message) => {
  const { status, body } = await api('POST', '/joint-api/skripts/addnew', { title: `Refused ${++n}`, tags });
  expect([status, body.details]).toEqual([400, [{ field: 'tags', message: expect.stringContaining(message) }]]);
});

test('an upload keeps the tags and the favourite of the skript that it overwrites', async () => {
  const { id, title } = await add({ tags: ['daily'], favourite: true });
  const { status, body } = await api('POST', '/joint-api/skripts/upload-files', {
    files: [
      { name: 'manifest.json', content: JSON.stringify({ title, tags: ['other'] }) },
      { name: 'main.js', content: 'module.exports = () => 1;' },
    ],
  });
  expect([status, body.ignored_fields]).toEqual([200, ['tags']]);
  expect(body.skript).toMatchObject({ id, tags: ['daily'], favourite: true });
});

test('a skript says when the next of its schedules fires; a list does so if it is selected', async () => {
  const { id, title } = await add();
  const skript = async () => (await api('GET', `/joint-api/skripts/${id}`)).body;
  expect((await skript()).next_fire_at).toBeNull();
  const later = await makeSchedule(api, { skript_id: id, cron_span: '0 0 1 1 *' });
  const sooner = await makeSchedule(api, { skript_id: id, cron_span: '*/5 * * * *' });
  expect((await skript()).next_fire_at).toBe(sooner.next_fire_at);
  await api('PUT', `/joint-api/schedules/${sooner.id}`, { enabled: false });
  expect(await list(`title_contains=${encodeURIComponent(title)}&select=next_fire_at`)).toEqual([
    { id, next_fire_at: later.next_fire_at },
  ]);
  expect((await list(`title_contains=${encodeURIComponent(title)}`))[0]).not.toHaveProperty('next_fire_at');
});

describe('a list of skripts with the last result', () => {
  let skriptIds: Record<string, string> = {};
  /** Adds a skript whose runs had these actions, the newest last. A replay has ended. */
  const withRuns = async (actions: string[], verdict: object | null = null) => {
    const { id } = await add({ category: 'results' });
    for (const action of actions) {
      await app.sql(
        `WITH run AS (INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action, replay_of)
           SELECT uuidv7(), owner_id, id, title, category, '', $2, $4 FROM skripts WHERE id = $1 RETURNING id)
         INSERT INTO run_profiles (execution_id, skript_id, input_key, profile, verdict)
         SELECT id, $1, '', 'null', $3::jsonb FROM run WHERE $3::jsonb IS NOT NULL`,
        [id, action === 'replay' ? 'end' : action, verdict && JSON.stringify(verdict), action === 'replay' ? id : null],
      );
    }
    return id;
  };

  beforeAll(async () => {
    skriptIds = {
      none: await withRuns([]),
      end: await withRuns(['error', 'end']),
      error: await withRuns(['end', 'error', 'replay']),
      stop: await withRuns(['stop']),
      start: await withRuns(['end', 'start']),
      pause: await withRuns(['pause']),
      broken: await withRuns(['end'], { level: 'broken' }),
      accepted: await withRuns(['end'], { level: 'broken', accepted_at: '2026-03-01T00:00:00Z' }),
    };
  });

  test('a list is sorted by the newest run that is no replay, and skripts without runs are the oldest', async () => {
    const idsOf = (names: string[]) => names.map(name => skriptIds[name]);
    const first = ['accepted', 'broken', 'pause', 'start'];
    const path = '/joint-api/skripts/list?category=results&sort=-last_run_at&limit=4';
    const { body } = await api('GET', path);
    expect(body.items.map(({ id }: any) => id)).toEqual(idsOf(first));
    const next = await api('GET', `${path}&after=${encodeURIComponent(body.next)}`);
    expect(next.body.items.map(({ id }: any) => id)).toEqual(idsOf(['stop', 'error', 'end', 'none']));
    const [oldest] = await list('category=results&sort=last_run_at');
    expect(oldest.id).toBe(skriptIds['none']);
  });

  test.each([
    ['none', ['none']],
    ['end', ['end', 'accepted']],
    ['error', ['error']],
    ['stop', ['stop']],
    ['live', ['start', 'pause']],
    ['broken', ['broken']],
  ])('%s has the skripts %j', async (result, names) => {
    const found = await list(`category=results&last_result=${result}`);
    const nameOf = (id: string) => Object.keys(skriptIds).find(name => skriptIds[name] === id);
    expect(found.map(({ id }: any) => nameOf(id)).sort()).toEqual([...names].sort());
  });
});
