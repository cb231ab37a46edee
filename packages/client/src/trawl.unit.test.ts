import { RunError, Trawl, TrawlError, unwrap } from './index.js';

const ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
const START = '/joint-api/execute-skript/single-worker/start';

interface Call {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Headers;
  body: any;
}

type Answer = Response | { status?: number; body?: unknown; headers?: Record<string, string> } | Error;

/** A client of a server whose answers `answer` makes, and the calls that arrived. */
function clientOf(answer: (call: Call) => Answer, options: { retryForMs?: number } = {}) {
  const calls: Call[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const text = await request.text();
    const { method, headers } = request;
    const query = Object.fromEntries(searchParams);
    const call = { method, path: pathname, query, headers, body: text ? JSON.parse(text) : undefined };
    calls.push(call);
    const answered = answer(call);
    if (request.signal.aborted) throw request.signal.reason;
    if (answered instanceof Error) throw answered;
    return answered instanceof Response ? answered : Response.json(answered.body ?? {}, answered);
  };
  return { calls, trawl: new Trawl({ url: 'http://trawl.test/', key: 'trk_1', fetch, ...options }) };
}

const execution = (more: object) => ({
  body: { id: ID, skript: { id: ID, name: 'Books' }, attempt: 1, retry_of: null, last_seq: 0, ...more },
});
const refusal = (status: number, error_code: string, error_message: string, headers = {}) => ({
  status,
  headers,
  body: { error_code, error_message, request_id: 'r1' },
});

describe('errors of the client', () => {
  it('have the message, status, code and request id of the API’s answer', async () => {
    const { trawl } = clientOf(() => refusal(404, 'not_found', 'You have no skript with this id.'));
    const error = await unwrap(trawl.api.GET('/joint-api/account')).catch(thrown => thrown);
    expect(error).toBeInstanceOf(TrawlError);
    expect(error).toMatchObject({
      message: 'You have no skript with this id.',
      status: 404,
      code: 'not_found',
      requestId: 'r1',
    });
  });

  it('name the reason if the server is unreachable', async () => {
    const reason = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
    const { trawl } = clientOf(() => reason, { retryForMs: 0 });
    const error = await unwrap(trawl.api.GET('/joint-api/account')).catch(thrown => thrown);
    expect(error).toMatchObject({ status: 0, code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('have the status and no code if something other than Trawl answers', async () => {
    const { trawl } = clientOf(() => ({ status: 418, body: 'teapot' }));
    await expect(unwrap(trawl.api.GET('/joint-api/account'))).rejects.toMatchObject({ status: 418, code: null });
  });

  it.each(['', 'trawl.example.com', 'ftp://trawl.example.com', 'http://'])(
    'are thrown for the invalid server address %j',
    url => {
      expect(() => new Trawl({ url, key: 'trk_1' })).toThrow('url must be an address');
    },
  );
});

it.each(['', 'trk_secret\n', 'trk secret', 'trk_s\u00e9cret'])(
  'the client refuses a malformed key without showing it: %j',
  key => {
    expect(() => new Trawl({ url: 'http://trawl.test', key })).toThrow(/^key must be (?!.*trk)/);
  },
);

describe('a call of the client that fails with 503 or 429', () => {
  it.each([
    ['a start, which has a key', (trawl: Trawl) => trawl.run(ID).started, 2],
    ['a read', (trawl: Trawl) => unwrap(trawl.api.GET('/joint-api/account')), 2],
    [
      'a start without a key',
      (trawl: Trawl) => unwrap(trawl.api.POST('/joint-api/keys/addnew', { body: {} as any })),
      1,
    ],
  ])('%s is sent again only if repeating it is safe', async (_name, call, times) => {
    const keys = new Set<string | null>();
    const { calls, trawl } = clientOf(({ headers }) => {
      keys.add(headers.get('idempotency-key'));
      return calls.length === 1 ? refusal(503, 'service_unavailable', 'Try again.') : execution({ action: 'end' });
    });
    await call(trawl).catch(error => expect(error).toMatchObject({ status: 503 }));
    expect(calls).toHaveLength(times);
    expect(keys.size).toBe(1);
  });

  it('is repeated after the time in Retry-After if the rate is limited, whatever its method', async () => {
    const { calls, trawl } = clientOf(() =>
      calls.length === 1 ? refusal(429, 'too_many_requests', 'Slow down.', { 'retry-after': '0' }) : { body: {} },
    );
    await unwrap(trawl.api.POST('/panel/logout'));
    expect(calls).toHaveLength(2);
  });
});

describe('run and call of the client', () => {
  it('start a skript by its exact title, and send input, secret and worker unchanged', async () => {
    const { calls, trawl } = clientOf(({ path }) =>
      path.endsWith('/list')
        ? {
            body: {
              items: [
                { id: 'other', title: 'Books 2' },
                { id: ID, title: 'Books' },
              ],
            },
          }
        : execution({ action: 'end', output: [1] }),
    );
    expect(await trawl.call('Books', 0, { inputSecret: { pin: 7 }, worker: 'w1' })).toEqual([1]);
    expect(calls.at(-1)).toMatchObject({
      method: 'POST',
      path: START,
      body: { skript_id: ID, worker_id: 'w1', input: 0, inputSecret: { pin: 7 } },
    });
  });

  it('refuse an input that is not JSON before they call the platform', async () => {
    const { calls, trawl } = clientOf(() => execution({ action: 'end' }));
    await expect(trawl.call(ID, { pages: 1n })).rejects.toThrow(/^input and inputSecret must be JSON: .*BigInt/);
    expect(calls).toEqual([]);
  });

  it('refuse a title that matches only the beginning of another skript’s title', async () => {
    const { trawl } = clientOf(() => ({ body: { items: [{ id: ID, title: 'Books 2' }] } }));
    await expect(trawl.call('Books')).rejects.toMatchObject({
      status: 404,
      message: 'You have no skript titled "Books".',
    });
  });

  it('throw the error that the skript threw', async () => {
    const { trawl } = clientOf(({ path }) =>
      path === START
        ? execution({ action: 'error', error_code: 'exception', error_stack: 'Error: no price\n    at main.js:3:9' })
        : { body: { items: [] } },
    );
    const error = await trawl.call<Error>(ID).catch(thrown => thrown);
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({ message: 'Error: no price', code: 'exception' });
    expect(error.stack).toContain('at main.js:3:9');
  });

  it('throw an error with the code `stopped` if somebody stopped the run', async () => {
    const { trawl } = clientOf(() => execution({ action: 'stop', error_code: null, error_stack: null }));
    await expect(trawl.call(ID)).rejects.toMatchObject({ code: 'stopped', message: 'The run of Books was stopped.' });
  });

  it('wait for the last attempt of a retried run', async () => {
    const failed = { action: 'error', error_code: 'exception', error_stack: 'Error: once' };
    const { trawl } = clientOf(({ path }) => {
      if (path === START) return execution(failed);
      if (path.endsWith('/list')) return { body: { items: [{ id: 'second', attempt: 2 }] } };
      return execution({ id: 'second', attempt: 2, retry_of: ID, action: 'end', output: 'done' });
    });
    expect(await trawl.call(ID)).toBe('done');
  });
});

it('a refused start rejects the methods of the run, but is no unhandled rejection of the program', async () => {
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);
  const { trawl } = clientOf(() => refusal(404, 'not_found', 'You have no skript with this id.'));
  const run = trawl.run(ID);
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  await expect(run.wait()).rejects.toMatchObject({ status: 404 });
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe('waiting for a run', () => {
  it.each([new DOMException('Too late.', 'TimeoutError'), new Error('no longer needed'), 'a text'])(
    'rejects with the reason of the abort signal: %p',
    async reason => {
      const controller = new AbortController();
      const { trawl } = clientOf(({ path }) => {
        if (path === START) return execution({ action: 'start' });
        controller.abort(reason);
        return {};
      });
      const { signal } = controller;
      await expect(trawl.run(ID).wait({ signal })).rejects.toBe(reason);
    },
  );
});

describe('logs of the client', () => {
  const echo = (seq: number) => ({ type: 'log', msg: `echo ${seq}`, time: '', seq });

  /** A connection to the live log that sends these texts, then breaks or closes. */
  const live = (texts: string[], { breaks = false } = {}) => {
    const rest = texts.map(text => new TextEncoder().encode(text));
    const pull = (controller: ReadableStreamDefaultController) => {
      const next = rest.shift();
      if (next) controller.enqueue(next);
      else if (breaks) controller.error(new TypeError('terminated'));
      else controller.close();
    };
    return new Response(new ReadableStream({ pull }), { headers: { 'content-type': 'text/event-stream' } });
  };
  const event = (seq: number) => `id: ${seq}\ndata: ${JSON.stringify(echo(seq))}\n\n`;
  const END = 'event: end\ndata: {"action":"end","error_code":null,"last_seq":4}\n\n';

  it('yield each echo once and in order, although connections break, fail and close', async () => {
    // The third echo arrives only in part before the connection breaks.
    const connections = [
      live(['retry: 1000\n\n', event(1) + event(2), event(3).slice(0, 20)], { breaks: true }),
      new TypeError('fetch failed'),
      live([event(3), ': still there\n\n']),
      live([event(4), END]),
    ];
    const asked: unknown[] = [];
    const { trawl } = clientOf(({ path, headers }) => {
      if (!path.endsWith('/stream')) return execution({ action: 'end' });
      asked.push(headers.get('last-event-id'));
      return connections.shift() ?? new Error('one connection too many');
    });
    const seen: number[] = [];
    for await (const { seq } of trawl.logs(ID)) seen.push(seq);
    expect([seen, asked]).toEqual([
      [1, 2, 3, 4],
      ['0', '2', '2', '3'],
    ]);
  });

  it('close the connection if the reader stops early', async () => {
    let isClosed = false;
    const body = new ReadableStream({
      start: controller => controller.enqueue(new TextEncoder().encode(event(1))),
      cancel: () => {
        isClosed = true;
      },
    });
    const { trawl } = clientOf(({ path }) =>
      path.endsWith('/stream') ? new Response(body) : execution({ action: 'start' }),
    );
    for await (const _echo of trawl.logs(ID)) break;
    expect(isClosed).toBe(true);
  });

  it('throw the error with which the API refuses the connection', async () => {
    const { trawl } = clientOf(({ path }) =>
      path.endsWith('/stream') ? refusal(404, 'not_found', 'No such run.') : execution({ action: 'start' }),
    );
    await expect(trawl.logs(ID).next()).rejects.toMatchObject({ status: 404, message: 'No such run.' });
  });

  it('without `follow` wait for echoes that a page lacks, and skip those that are lost', async () => {
    const pages = [[1, 4], [2, 4], [2, 4, 7], [7]];
    let reads = 0;
    const { trawl } = clientOf(({ path, query }) => {
      if (path.startsWith('/joint-api/skript-execution')) return execution({ action: 'end', last_seq: 7 });
      const page = pages[Math.min(reads++, pages.length - 1)] ?? [];
      return { body: { items: page.filter(seq => seq > Number(query.after_seq)).map(echo), next_after_seq: null } };
    });
    const seen: number[] = [];
    for await (const { seq } of trawl.logs(ID, { follow: false })) seen.push(seq);
    expect(seen).toEqual([1, 2, 7]);
  });

  it('without `follow` end at the last echo that exists', async () => {
    const { trawl } = clientOf(({ path }) =>
      path.startsWith('/joint-api/skript-execution')
        ? execution({ action: 'start' })
        : { body: { items: [echo(8)], next_after_seq: null } },
    );
    const seen: string[] = [];
    for await (const { msg } of trawl.logs(ID, { follow: false, afterSeq: 7 })) seen.push(msg);
    expect(seen).toEqual(['echo 8']);
  });

  it('end when the abort signal fires', async () => {
    const controller = new AbortController();
    const { trawl } = clientOf(({ path }) =>
      path.endsWith('/stream') ? live([event(1)]) : execution({ action: 'start' }),
    );
    const logs = trawl.logs(ID, { signal: controller.signal });
    expect(await logs.next()).toMatchObject({ value: { seq: 1 } });
    const next = logs.next();
    controller.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a run of the client', () => {
  it('is awaited with long calls of 25 seconds', async () => {
    const states = ['start', 'pause', 'end'];
    const { calls, trawl } = clientOf(({ method }) =>
      execution({ action: method === 'POST' ? 'start' : states.shift() }),
    );
    expect(await trawl.run(ID).wait()).toMatchObject({ action: 'end' });
    expect(calls.slice(1).map(({ path, query }) => [path, query])).toEqual(
      Array(3).fill([`/joint-api/skript-execution/${ID}`, { wait_ms: '25000' }]),
    );
  });

  it('is awaited across a restart of the platform, even if the call had lasted longer than the retry time', async () => {
    const now = jest.spyOn(Date, 'now');
    let reads = 0;
    const { trawl } = clientOf(
      ({ method }) => {
        if (method === 'POST') return execution({ action: 'start' });
        reads += 1;
        if (reads > 1) return execution({ action: 'end' });
        now.mockReturnValue(Date.now() + 20_000);
        return new TypeError('fetch failed');
      },
      { retryForMs: 5_000 },
    );
    expect(await trawl.run(ID).wait()).toMatchObject({ action: 'end' });
    now.mockRestore();
  });

  it('is stopped, paused and resumed by the id of any attempt; answers go to its latest attempt', async () => {
    const { calls, trawl } = clientOf(({ method, path }) => {
      if (path.endsWith('/answers')) return { status: 202, body: { delivered: false } };
      if (path.endsWith('/list')) return { body: { items: [{ id: 'second', attempt: 2 }] } };
      if (path.endsWith('/second')) return execution({ id: 'second', attempt: 2, retry_of: ID, action: 'start' });
      return execution({ action: method === 'GET' ? 'error' : 'start' });
    });
    const run = trawl.runById(ID);
    await run.stop();
    await run.pause();
    await run.resume();
    expect(await run.answer(12, 'last')).toBe(false);
    const posts = calls.filter(({ method }) => method === 'POST');
    expect(posts.map(({ path, body }) => [path, body])).toEqual([
      [`/joint-api/skript-execution/${ID}/stop`, undefined],
      [`/joint-api/skript-execution/${ID}/pause`, undefined],
      [`/joint-api/skript-execution/${ID}/resume`, undefined],
      ['/joint-api/skript-execution/second/answers', { seq: 12, answer: 'last' }],
    ]);
  });

  it.each([
    ['stop', (trawl: Trawl) => trawl.runById(ID).stop(), 2],
    ['answer', (trawl: Trawl) => trawl.runById(ID).answer(1, ''), 1],
  ])('is sent %s again after an outage only if doing it twice is harmless', async (_name, call, times) => {
    let posts = 0;
    const { trawl } = clientOf(({ method }) => {
      if (method === 'GET') return execution({ action: 'start' });
      posts += 1;
      return posts === 1 ? new TypeError('fetch failed') : execution({ action: 'start' });
    });
    await call(trawl).catch(error => expect(error).toMatchObject({ code: 'unreachable' }));
    expect(posts).toBe(times);
  });
});

it('rows of the client yields documents from all pages of the named database', async () => {
  const { calls, trawl } = clientOf(({ path, query }) => {
    if (path.startsWith('/joint-api/mongo-databases'))
      return {
        body: {
          items: [
            { id: 'a', name: 'old' },
            { id: 'b', name: 'shop' },
          ],
        },
      };
    return { body: query.after ? { items: [{ n: 3 }] } : { items: [{ n: 1 }, { n: 2 }], next: 'cursor' } };
  });
  const rows: unknown[] = [];
  for await (const row of trawl.rows('books', { database: 'shop', filter: { n: { $gt: 0 } }, format: 'relaxed' }))
    rows.push(row);
  expect(rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(calls.at(-1)).toMatchObject({
    path: '/joint-api/mongo/b/books/list',
    query: { filter: '{"n":{"$gt":0}}', after: 'cursor', format: 'relaxed' },
  });
});
