import { randomUUID } from 'node:crypto';
import { type Api, appForFile } from '../../../test/test-app.js';

const { app, developer: api, admin: others } = appForFile();

let n = 0;
async function skriptWith(main: string, as = api): Promise<string> {
  const { id } = (await as('POST', '/joint-api/skripts/addnew', { title: `Skript ${++n}` })).body;
  await as('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'main.js', content: main });
  return id;
}
const bundle = async (id: string, as = api): Promise<string> =>
  (await as('POST', `/joint-api/skripts/${id}/bundle`)).body.hash;
const purge = (body: unknown) => api('POST', '/joint-api/skripts/purge', body);
const total = async (as: Api) => (await as('GET', '/joint-api/skripts/list')).body.total;
const isKept = async (hash: string) => (await app.sql('SELECT 1 FROM bundles WHERE hash = $1', [hash])).length === 1;

/** Inserts a live run of the skript directly into the database. */
async function liveRunOf(skriptId: string): Promise<string> {
  const id = skriptId.slice(0, 13) + randomUUID().slice(13);
  await app.sql(
    `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
     SELECT $1, owner_id, id, title, category, 'h', 'start' FROM skripts WHERE id = $2`,
    [id, skriptId],
  );
  await app.sql(
    `INSERT INTO live_runs (execution_id, owner_id, on_any, environment, live_key, forced, time_limit_ms, payload,
       waiting_reason, waiting_since)
     SELECT $1, owner_id, false, 'nodejs', '', true, 1000, '', 'worker_full', now() FROM skripts WHERE id = $2`,
    [id, skriptId],
  );
  return id;
}

test('deleting a skript returns the number of deleted rows of each kind', async () => {
  const id = await skriptWith('module.exports = 1');
  for (const [kind, name] of [
    ['inputs', 'input.json'],
    ['input-secrets', 'inputSecret.json'],
  ])
    await api('POST', `/joint-api/${kind}/addnew`, { skript_id: id, name, val: 1 });
  await bundle(id);
  await app.sql(
    `INSERT INTO schedules (id, owner_id, name, cron_span, time_zone, skript_id, overlap, catch_up, enabled)
     SELECT id, owner_id, 'Yearly', '0 0 1 1 *', 'UTC', id, 'skip', 'skip', false FROM skripts WHERE id = $1`,
    [id],
  );
  const deleted = { skripts: 1, skript_files: 1, inputs: 1, input_secrets: 1, schedules: 1, versions: 1 };
  expect((await api('DELETE', `/joint-api/skripts/${id}`)).body).toEqual({ deleted });
});

test('deleting the last skript that uses a bundle deletes the bundle', async () => {
  const main = `module.exports = ${JSON.stringify(randomUUID())}`;
  const [mine, theirs] = [await skriptWith(main), await skriptWith(main, others)];
  const hash = await bundle(mine);
  expect(await bundle(theirs, others)).toBe(hash);
  await api('DELETE', `/joint-api/skripts/${mine}`);
  expect(await isKept(hash)).toBe(true);
  await others('DELETE', `/joint-api/skripts/${theirs}`);
  expect(await isKept(hash)).toBe(false);
});

test('a bundle survives the deletion of a skript while another skript builds the same bundle', async () => {
  for (let round = 0; round < 3; round += 1) {
    const main = `module.exports = ${JSON.stringify(randomUUID())}`;
    const [going, staying] = [await skriptWith(main), await skriptWith(main, others)];
    await bundle(going);
    const [gone, built] = await Promise.all([
      api('DELETE', `/joint-api/skripts/${going}`),
      others('POST', `/joint-api/skripts/${staying}/bundle`),
    ]);
    expect([gone.status, built.status, await isKept(built.body.hash)]).toEqual([200, 200, true]);
  }
});

test.each([[undefined], [{}], [{ confirm: false }], [{ confirm: true, all: true }]])(
  'a purge of all skripts is refused unless its body is exactly { confirm: true }: %j',
  async body => {
    await skriptWith('');
    const before = await total(api);
    expect((await purge(body)).status).toBe(400);
    expect(await total(api)).toBe(before);
  },
);

test('a purge deletes all skripts of the user except running ones, which it lists', async () => {
  const running = await skriptWith('');
  const execution_id = await liveRunOf(running);
  await skriptWith('');
  const [mine, theirs] = [await total(api), await total(others)];
  const { status, body } = await purge({ confirm: true });
  expect([status, body.deleted.skripts, body.deleted.skript_files]).toEqual([200, mine - 1, mine - 1]);
  expect(body.kept).toEqual([{ id: running, title: expect.stringMatching(/^Skript/), execution_id }]);
  expect([await total(api), await total(others)]).toEqual([1, theirs]);
  await app.sql('DELETE FROM live_runs WHERE execution_id = $1', [execution_id]);
  expect((await purge({ confirm: true })).body).toMatchObject({ deleted: { skripts: 1 }, kept: [] });
  expect((await purge({ confirm: true })).body).toMatchObject({ deleted: { skripts: 0 }, kept: [] });
});
