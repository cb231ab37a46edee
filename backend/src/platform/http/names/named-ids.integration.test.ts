import { randomUUID } from 'node:crypto';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import { unique } from '../../../../test/world.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);
let title: string;

beforeEach(async () => {
  title = `Books / ${unique()} 100%?`;
  await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { title });
});

const START = '/joint-api/execute-skript/single-worker/start';
const byTitle = () => encodeURIComponent(title);
const addInput = (skript_id: unknown) =>
  developer('POST', '/joint-api/inputs/addnew', { skript_id, name: `input${unique()}.json`, val: 1 });

it('a start accepts the title of a skript as skript_id, and uses any worker without worker_id', async () => {
  const worker = await fleet.connect({ slots: 8 });
  const query = new URLSearchParams({ skript_id: title, wait_ms: '0', force: 'true' });
  for (const start of [
    () => developer('POST', `${START}?wait_ms=0&force=true`, { skript_id: title }),
    () => developer('GET', `${START}?${query}`),
  ]) {
    const { status, body } = await start();
    expect([status, body.skript.id]).toEqual([202, fleet.skriptId]);
    expect((await worker.offers.next()).id).toBe(body.id);
    await worker.finish(body.id);
  }
});

it('the path, the query and the body of a call accept the title of a skript instead of its id', async () => {
  const { body: input } = await addInput(` ${title} `);
  expect(input.skript_id).toBe(fleet.skriptId);
  const found = await developer('GET', `/joint-api/inputs/list?skript_id=${byTitle()}&limit=1`);
  expect(found.body).toMatchObject({ limit: 1, items: [{ id: input.id }] });
  expect((await developer('GET', `/joint-api/skripts/${byTitle()}`)).body).toMatchObject({ id: fleet.skriptId, title });
});

it('the path of a MongoDB collection accepts the name of its database instead of its id', async () => {
  const { body: database } = await developer('POST', '/joint-api/mongo-databases/addnew', {
    name: `my db ${unique()}`,
  });
  const path = `/joint-api/mongo/${encodeURIComponent(database.name)}/books`;
  // A field of a document is the user's own, whatever its name.
  const { status, body } = await developer('POST', `${path}/addnew`, { skript_id: title, db_id: 'none' });
  expect([status, body.skript_id, body.db_id]).toEqual([201, title, 'none']);
  expect((await developer('GET', `${path}/list`)).body.items).toHaveLength(1);
  expect((await admin('GET', `${path}/list`)).status).toBe(404);
});

it('exports, exporters and imports accept names of databases and titles of skripts instead of ids', async () => {
  const { body: database } = await developer('POST', '/joint-api/mongo-databases/addnew', { name: `db ${unique()}` });
  const documents = `/joint-api/mongo/${encodeURIComponent(database.name)}/books`;
  await developer('POST', `${documents}/addnew`, { n: 1 });
  const of = { db_id: database.name, collection: 'books' };
  expect((await developer('POST', '/joint-api/exports/addnew', of)).status).toBe(201);
  const exporter = { ...of, name: unique(), skript_id: title };
  const { body: saved } = await developer('POST', '/joint-api/exporters/addnew', exporter);
  expect(saved.skript_id).toBe(fleet.skriptId);
  const headers = { 'content-type': 'text/csv' };
  const { body: upload } = await developer('POST', '/joint-api/imports/upload?file_name=a.csv', 'n\n2\n', headers);
  const imported = await developer('POST', `/joint-api/imports/${upload.id}/start`, of);
  expect(imported.body).toMatchObject({ db_id: database.id });
});

it('a call with a skript_id accepts the names of the skript’s inputs instead of their ids', async () => {
  const worker = await fleet.connect({ slots: 8 });
  const add = async (kind: string, name: string) =>
    (await developer('POST', `/joint-api/${kind}/addnew`, { skript_id: title, name, val: name })).body.id;
  const [input, secret] = [await add('inputs', 'inputA.json'), await add('input-secrets', 'inputSecretA.json')];
  const named = { skript_id: title, input_id: 'inputA.json', inputSecret_id: 'inputSecretA.json' };
  const query = new URLSearchParams({ ...named, wait_ms: '0', force: 'true' });
  for (const start of [
    () => developer('POST', `${START}?wait_ms=0&force=true`, named),
    () => developer('GET', `${START}?${query}`),
  ])
    expect((await start()).body).toMatchObject({ input: { id: input }, inputSecret: { id: secret } });
  expect(await worker.offers.next()).toMatchObject({ input: '"inputA.json"', input_secret: '"inputSecretA.json"' });
  const stopped = await developer('GET', `${START.replace(/start$/, 'stop')}?${new URLSearchParams(named)}`);
  expect(stopped.body).toHaveLength(2);
  const schedule = { name: unique(), cron_span: '0 0 1 1 *', worker_id: 'any', ...named };
  expect((await developer('POST', '/joint-api/schedules/addnew', schedule)).body).toMatchObject({ input_id: input });
  expect(await developer('POST', START, { ...named, input_id: 'inputB.json' })).toMatchObject({
    status: 404,
    body: { error_message: expect.stringContaining('"inputB.json"') },
  });
  const control = START.replace(/start$/, 'pause');
  expect(await developer('GET', `${control}?input_id=inputA.json`)).toMatchObject({
    status: 400,
    body: { details: [{ field: 'input_id', message: expect.stringContaining('skript_id') }] },
  });
});

it('a text in the form of an id is never looked up as the title of a skript', async () => {
  const id = randomUUID();
  await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { title: id });
  expect((await developer('GET', `/joint-api/skripts/${id}`)).status).toBe(404);
  expect((await addInput(id)).status).toBe(404);
});

it('an unknown or another user’s title is answered with 404, and the error repeats the title', async () => {
  for (const wrong of ['No such skript', title.toLowerCase(), `${title}x`]) {
    expect(await addInput(wrong)).toMatchObject({
      status: 404,
      body: { error_code: 'not_found', error_message: expect.stringContaining(JSON.stringify(wrong)) },
    });
  }
  expect(await admin('GET', `/joint-api/skripts/${byTitle()}`)).toMatchObject({
    status: 404,
    body: { error_message: expect.stringContaining(JSON.stringify(title)) },
  });
  for (const wrong of ['', 'x'.repeat(121), 'a\0', 7, null, [title]]) {
    expect(await addInput(wrong)).toMatchObject({ status: 400, body: { details: [{ field: 'skript_id' }] } });
  }
});
