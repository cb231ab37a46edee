import { randomUUID } from 'node:crypto';
import { DocumentedApi } from '../../../test/documented-api.js';
import { type Api, appForFile } from '../../../test/test-app.js';
import { contactForm } from '../../../test/test-forms.js';
import { fleetForEachTest, type TestWorker } from '../../../test/test-worker.js';

const START = '/joint-api/execute-skript/single-worker/start';
const STOP = '/joint-api/execute-skript/single-worker/stop';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
let documented: DocumentedApi;
let anonymous: Api;
let api: Api;
let worker: TestWorker;

beforeAll(async () => {
  documented = await DocumentedApi.read();
  anonymous = documented.checked(app.anonymous);
  api = documented.checked(developer);
});
beforeEach(async () => {
  worker = await fleet.connect({ slots: 4 });
});

const of = () => ({ worker_id: fleet.workerId, skript_id: fleet.skriptId });
const query = (fields: object) => new URLSearchParams(fields as Record<string, string>).toString();

/** Starts a run and ends it as if the worker reported this result. */
async function ended(ending: object, body: object = {}): Promise<any> {
  const answer = api('POST', START, { ...of(), ...body });
  const { id } = await worker.offers.next();
  await worker.finish(id, ending);
  return (await answer).body;
}

describe('the OpenAPI document', () => {
  it('documents an Idempotency-Key on every route that creates or starts something', async () => {
    const creating = documented.operations.filter(({ path }) => /\/(addnew|start)$/.test(path));
    const withoutKey = creating.filter(({ parameters }) => !parameters.some(({ name }) => name === 'Idempotency-Key'));
    expect(withoutKey.map(({ path }) => path)).toEqual([]);
  });

  it.each([null, 7, 'text', false, [1, null], { a: null }])('allows %j as a saved input', async val => {
    const { body } = await api('POST', '/joint-api/inputs/addnew', {
      skript_id: fleet.skriptId,
      name: 'input.json',
      val,
    });
    expect((await api('GET', `/joint-api/inputs/${body.id}`)).body.val).toEqual(val);
  });

  it.each(['null', '7', '"text"', '[1,null]', '{"a":null}'])('allows %s as an output', async output => {
    const { id } = await ended({ output });
    expect((await api('GET', `/joint-api/skript-execution/${id}`)).body.output).toEqual(JSON.parse(output));
  });

  it('allows a run with and without a worker and saved values', async () => {
    const none = await ended({});
    expect([none.input, none.inputSecret, none.waiting_for, none.error_code]).toEqual([null, null, null, null]);
    const add = async (kind: string, name: string) =>
      (await api('POST', `/joint-api/${kind}/addnew`, { skript_id: fleet.skriptId, name, val: null })).body.id;
    const stored = {
      input_id: await add('inputs', 'input.json'),
      inputSecret_id: await add('input-secrets', 'inputSecret.json'),
    };
    worker.close();
    const { body } = await api('GET', `${START}?${query({ ...of(), ...stored, wait_ms: 0 })}`);
    expect([body.worker.id, body.input.id, body.inputSecret.id]).toEqual([
      fleet.workerId,
      stored.input_id,
      stored.inputSecret_id,
    ]);
    await api('GET', '/joint-api/skript-execution/list');
  });

  it('allows a failed run', async () => {
    const failed = await ended({ action: 'error', output: null, error_code: 'exception', error_stack: 'Error: no\n' });
    expect(failed).toMatchObject({ action: 'error', error_code: 'exception' });
  });

  it.each(['title', '-title', 'files', '-files,-howto', 'id'])('allows select=%s to omit fields', async select => {
    const { body } = await api('GET', `/joint-api/skripts/list?select=${select}`);
    expect(body.items.length).toBeGreaterThan(0);
  });

  it('allows the errors of many kinds of calls, with their different details', async () => {
    const skript = `/joint-api/skripts/${fleet.skriptId}`;
    const { title, files } = (await api('GET', skript)).body;
    const mainJs = files[0].id;
    const startBody = { ...of(), input: 1 };
    const key = { 'idempotency-key': randomUUID() };
    await api('POST', `${START}?wait_ms=0`, startBody, key);
    const answers = [
      await anonymous('GET', '/joint-api/account'),
      await anonymous('POST', '/panel/login', { username: 'developer', password: 'wrong' }),
      await anonymous('POST', '/panel/login', { username: 5 }),
      await anonymous('POST', '/panel/login', '{"username":'),
      await anonymous('POST', '/www/contact', contactForm({ name: 'Ada' })),
      await anonymous('POST', '/www/users/set-password', { token: 'forged', password: 'long enough' }),
      await api('POST', '/joint-api/workers/addnew', { name: 'mine' }),
      await api('GET', '/joint-api/skripts/list?select=colour'),
      await api('GET', '/joint-api/inputs/not-an-id'),
      await api('GET', `/joint-api/skripts/${randomUUID()}`),
      await api('POST', '/joint-api/skripts/addnew', { title }),
      await api('POST', `${START}?wait_ms=0`, startBody),
      await api('POST', `${START}?wait_ms=0`, { ...startBody, input: 2 }, key),
      await api('DELETE', skript),
      await api('PUT', `/joint-api/skript-files/${mainJs}`, { content: 'x'.repeat(3 * 1024 * 1024) }),
      await api('POST', '/joint-api/skripts/addnew', 'title', { 'content-type': 'text/plain' }),
    ].map(({ status, body }) => [status, body.error_code]);
    await api('PUT', `/joint-api/skript-files/${mainJs}`, { content: 'const broken =' });
    const broken = await api('POST', `${skript}/bundle`);
    expect(broken.body).toMatchObject({ error_code: 'bundle_failed', details: [{ file: 'main.js', line: 1 }] });
    await api('DELETE', `/joint-api/skript-files/${mainJs}`);
    expect((await api('POST', `${skript}/bundle`)).body.error_code).toBe('main_missing');
    expect((await api('GET', `${STOP}?execution_id=${randomUUID()}`)).body.error_code).toBe('no_live_run');
    expect(answers).toEqual([
      [401, 'unauthorized'],
      [401, 'bad_login'],
      [400, 'validation_failed'],
      [400, 'invalid_json'],
      [400, 'validation_failed'],
      [422, 'link_not_usable'],
      [403, 'forbidden'],
      [400, 'validation_failed'],
      [400, 'validation_failed'],
      [404, 'not_found'],
      [409, 'title_taken'],
      [409, 'already_running'],
      [409, 'idempotency_key_reused'],
      [409, 'has_live_run'],
      [413, 'payload_too_large'],
      [415, 'unsupported_media_type'],
    ]);
  });
});
