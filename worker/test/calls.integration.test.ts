import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { CallServer } from '../src/calls/call-server.js';
import { StartCalls } from '../src/calls/start-calls.js';

const KEY = 'call-key-of-this-worker-and-of-nothing-else';
const ACCOUNT_KEY = 'trk_key-of-the-account';
const WORKER = '0190f7a2-0000-7000-8000-00000000000b';
const SKRIPT = '0190f7a2-0000-7000-8000-00000000000c';
const RUN = '0190f7a2-0000-7000-8000-00000000000d';
const STORED = '0190f7a2-0000-7000-8000-00000000000e';

const execution = (change: object) => ({
  id: RUN,
  retry_of: null,
  action: 'end',
  output: null,
  error_code: null,
  error_stack: null,
  ...change,
});

/** The requests that the stand-in for the platform has received. `answers` gives its response to each path. */
let asked: {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string;
  key: string | undefined;
  body: unknown;
}[];
let answers: (path: string, request: IncomingMessage) => { status: number; body: object } | Promise<never>;
let workerId: string | null;
let platform: Server;
let starts: StartCalls;
let server: CallServer;

beforeEach(async () => {
  asked = [];
  workerId = WORKER;
  answers = () => ({ status: 200, body: execution({ output: { title: 'A book' } }) });
  platform = createServer(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://platform');
    const body = await text(incoming);
    const authorization = incoming.headers.authorization ?? '';
    asked.push({
      method: incoming.method ?? '',
      path: pathname,
      query: searchParams,
      authorization,
      key: incoming.headers['idempotency-key']?.toString(),
      body: body && JSON.parse(body),
    });
    const answer = await answers(pathname, incoming);
    response.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
  platform.listen(0, '127.0.0.1');
  await once(platform, 'listening');
  const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  starts = new StartCalls({ url, accountKey: ACCOUNT_KEY, workerId: () => workerId });
  server = new CallServer({ host: '127.0.0.1', port: 0, key: KEY, starts, log: pino({ level: 'silent' }) });
  await server.open();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await server.close();
  platform.closeAllConnections();
  platform.close();
});

interface Call {
  body?: unknown;
  raw?: string;
  method?: string;
  path?: string;
  authorization?: string;
  key?: string;
}

async function call({
  body,
  raw,
  method = 'POST',
  path = '/execute-skript/start',
  authorization = `Bearer ${KEY}`,
  key,
}: Call) {
  const outgoing = request({
    host: '127.0.0.1',
    port: server.port,
    method,
    path,
    headers: { authorization, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    agent: false,
  });
  outgoing.on('error', () => {});
  outgoing.end(raw ?? (body === undefined ? undefined : JSON.stringify(body)));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const answered = await text(response);
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(answered) };
}

const start = (body: object = {}) => call({ body: { skript_id: SKRIPT, ...body } });

test('a call to the worker starts a skript on it for the account, and returns the output of main.js', async () => {
  const { status, body } = await start({ input: { page: 1 }, inputSecret: 'pw', force: true, timeout_ms: 5_000 });
  expect([status, body]).toEqual([200, { title: 'A book' }]);
  const [start_] = asked;
  expect(start_).toMatchObject({
    method: 'POST',
    path: '/joint-api/execute-skript/single-worker/start',
    authorization: `Bearer ${ACCOUNT_KEY}`,
    body: { worker_id: WORKER, skript_id: SKRIPT, input: { page: 1 }, inputSecret: 'pw' },
  });
  expect(Object.fromEntries(start_?.query ?? [])).toMatchObject({ force: 'true', timeout_ms: '5000' });
});

test('a call to the worker passes on the ids of stored inputs', async () => {
  await start({ input_id: STORED });
  expect(asked[0]?.method).toBe('GET');
  expect(Object.fromEntries(asked[0]?.query ?? [])).toMatchObject({
    worker_id: WORKER,
    skript_id: SKRIPT,
    input_id: STORED,
  });
});

/** A run without a retry. */
const withLists =
  (rest: typeof answers): typeof answers =>
  (path, incoming) =>
    path.endsWith('/list') ? { status: 200, body: { items: [] } } : rest(path, incoming);

/**
 * Returns the requests to start a run that the platform has received. There may be several if a request was repeated.
 */
const startsAsked = () => asked.filter(({ path }) => path.endsWith('/start'));

/** The platform's response about a run that is still live. */
const GOES_ON = { status: 202, body: execution({ action: 'start' }) };

/** Answers like a platform that is unreachable for long: each time the clock is read, another hour has passed. */
function awayForLong(): { status: number; body: object } {
  let now = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => {
    now += 3_600_000;
    return now;
  });
  return { status: 503, body: {} };
}

test('a call to the worker waits until the last attempt of its run has ended', async () => {
  let looks = 0;
  answers = path => {
    if (path.endsWith('/start')) return GOES_ON;
    // The first attempt of the run ends between two requests. After that, the next attempt exists.
    if (path.endsWith('/list')) return { status: 200, body: { items: looks > 1 ? [{ id: STORED }] : [] } };
    looks += 1;
    if (path.endsWith(STORED)) return { status: 200, body: execution({ id: STORED, retry_of: RUN, output: 7 }) };
    if (looks === 1) return { status: 503, body: {} };
    return { status: 200, body: execution({ action: 'error', error_code: 'exception' }) };
  };
  expect(await start()).toMatchObject({ status: 200, body: 7 });
});

test.each([{ input: { page: 1 } }, { input_id: STORED }])(
  'a call to the worker repeats an unanswered start with the same idempotency key: %j',
  async values => {
    answers = withLists((path, incoming) => {
      if (!path.endsWith('/start')) return { status: 200, body: execution({ output: 7 }) };
      if (asked.length === 1) incoming.socket.destroy();
      return asked.length < 3 ? { status: 503, body: {} } : GOES_ON;
    });
    expect(await start(values)).toMatchObject({ status: 200, body: 7 });
    const [first, ...others] = startsAsked();
    expect(first?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(others).toEqual([first, first]);
    await start(values);
    expect(startsAsked().at(-1)?.key).not.toBe(first?.key);
  },
);

test("a call to the worker passes on the caller's own Idempotency-Key", async () => {
  await call({ body: { skript_id: SKRIPT }, key: 'order-17' });
  expect(startsAsked().map(({ key }) => key)).toEqual(['order-17']);
});

test('a call fails with 503 if the platform stays unreachable, and says whether a run may have started', async () => {
  answers = () => awayForLong();
  const unknown = await start();
  expect(unknown).toMatchObject({
    status: 503,
    body: { error_code: 'service_unavailable', error_message: expect.stringContaining('not known') },
  });
  expect([unknown.headers['retry-after'], unknown.body.execution_id]).toEqual([undefined, undefined]);
  jest.restoreAllMocks();

  answers = path => (path.endsWith('/start') ? GOES_ON : awayForLong());
  const known = await start();
  expect(known).toMatchObject({ status: 503, body: { execution_id: RUN } });
  expect(known.headers['retry-after']).toBeUndefined();
  jest.restoreAllMocks();

  platform.close();
  platform.closeAllConnections();
  awayForLong();
  expect(await start()).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error_message: expect.stringContaining('Nothing was started') },
  });
});

test('when the platform refuses a repeated start, the error says that the first one may have started a run', async () => {
  const refusal = { error_code: 'main_missing', error_message: 'There is no main.js.' };
  answers = () => (asked.length === 1 ? { status: 502, body: {} } : { status: 422, body: refusal });
  const { status, body } = await start();
  expect([status, body.error_code]).toEqual([422, 'main_missing']);
  expect(body.error_message).toMatch(/^There is no main\.js\. It is not known whether/);
});

test.each([
  [401, 502, 'unauthorized'],
  [404, 404, 'not_found'],
])('a call whose run can no longer be read fails with the run’s id (%d)', async (status, answered, error_code) => {
  answers = path => (path.endsWith('/start') ? GOES_ON : { status, body: {} });
  expect(await start()).toMatchObject({ status: answered, body: { error_code, execution_id: RUN } });
});

test('a call to the worker leaves no listeners on its abort signal', async () => {
  const { signal } = new AbortController();
  const listeners: number[] = [];
  answers = withLists(path => {
    if (path.endsWith('/start')) return GOES_ON;
    listeners.push(getEventListeners(signal, 'abort').length);
    return { status: 200, body: execution(listeners.length < 3 ? { action: 'start' } : {}) };
  });
  await starts.run({ skript_id: SKRIPT }, signal);
  expect(listeners).toEqual([1, 1, 1]);
});

test.each([
  [
    { action: 'error', error_code: 'exception', error_stack: 'Error: no' },
    500,
    { error_message: 'Error: no', error_code: 'exception', execution_id: RUN },
  ],
  [{ action: 'stop' }, 409, { error_message: 'The run was stopped.', error_code: 'stopped', execution_id: RUN }],
])('a call returns the reason when its run fails or is stopped: %j', async (change, status, body) => {
  answers = () => ({ status: 200, body: execution(change) });
  expect(await start()).toMatchObject({ status, body });
});

test.each([
  [401, { error_code: 'unauthorized', error_message: 'Who?' }, 502, 'unauthorized'],
  [500, {}, 503, 'service_unavailable'],
])('a call fails if the platform refuses it with %d, and shows no key', async (status, body, answered, error_code) => {
  answers = () => ({ status, body });
  const { status: got, body: said } = await start();
  expect([got, said.error_code]).toEqual([answered, error_code]);
  expect(JSON.stringify(said)).not.toContain(ACCOUNT_KEY);
});

test('a call for a skript that is already running fails with the id of the live run', async () => {
  const refusal = { error_code: 'already_running', error_message: 'It runs.' };
  answers = () => ({ status: 409, body: { ...refusal, details: { execution_id: RUN } } });
  expect(await start()).toMatchObject({ status: 409, body: { ...refusal, execution_id: RUN } });
});

test.each([
  ['with another key', { authorization: 'Bearer trw_key-of-the-worker' }, 401, 'unauthorized'],
  ['without a key', { authorization: '' }, 401, 'unauthorized'],
  ['with the key in another scheme', { authorization: `Basic ${KEY}` }, 401, 'unauthorized'],
  ['with the key and more', { authorization: `Bearer ${KEY} more` }, 401, 'unauthorized'],
  ['of another path', { path: '/' }, 404, 'not_found'],
  ['with another method', { method: 'PUT' }, 405, 'bad_request'],
  ['that is nested too deeply', { raw: `${'['.repeat(5_000)}${']'.repeat(5_000)}` }, 400, 'bad_request'],
  [
    'with an input that is nested too deeply',
    { raw: `{"skript_id":"${SKRIPT}","input":${'['.repeat(1_000)}${']'.repeat(1_000)}}` },
    400,
    'bad_request',
  ],
  ['that is no JSON', { raw: '{' }, 400, 'invalid_json'],
  ['with a field that there is none of', { body: { skript_id: SKRIPT, worker_id: 'any' } }, 400, 'validation_failed'],
  ['without a skript', { body: {} }, 400, 'validation_failed'],
  [
    'with values and ids of values',
    { body: { skript_id: SKRIPT, input: 1, inputSecret_id: STORED } },
    400,
    'validation_failed',
  ],
  ['with a key of two words', { key: 'order 17' }, 400, 'validation_failed'],
  ['that is too large', { raw: JSON.stringify('x'.repeat(600_000)) }, 413, 'payload_too_large'],
] as const)('the worker refuses a call %s, and starts nothing', async (_what, wrong, status, error_code) => {
  const { status: got, body } = await call({ body: { skript_id: SKRIPT }, ...wrong });
  expect([got, body.error_code, asked]).toEqual([status, error_code, []]);
});

test('a call fails with 503 and starts nothing before the platform has told the worker its id', async () => {
  workerId = null;
  expect(await start()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(asked).toEqual([]);
});

test('a worker that shuts down answers a waiting call with 503, and aborts its request to the platform', async () => {
  const cut = new Promise<void>(resolve => {
    answers = (_path, incoming) => {
      incoming.socket.once('close', resolve);
      return new Promise<never>(() => {});
    };
  });
  const waiting = start();
  while (asked.length === 0) await new Promise(setImmediate);
  await server.close();
  const { status, headers, body } = await waiting;
  expect([status, body.error_code, headers['retry-after']]).toEqual([503, 'service_unavailable', undefined]);
  expect(body.error_message).toBe('The worker is shutting down. It is not known whether the skript was started.');
  await cut;
});

test('calls do not delay the worker’s shutdown: it closes silent connections, and answers all others', async () => {
  answers = path => (path.endsWith('/start') ? GOES_ON : new Promise<never>(() => {}));
  const silent = connect(server.port, '127.0.0.1');
  await once(silent, 'connect');
  const slow = connect(server.port, '127.0.0.1');
  slow.write(
    `POST /execute-skript/start HTTP/1.1\r\nhost: worker\r\nauthorization: Bearer ${KEY}\r\ncontent-length: 99\r\n\r\n{`,
  );
  const waiting = start();
  while (asked.length < 2) await new Promise(setImmediate);
  await server.close();
  expect(await waiting).toMatchObject({ status: 503, body: { execution_id: RUN } });
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 503 .*Nothing was started/s);
  expect(await text(silent)).toBe('');
});
