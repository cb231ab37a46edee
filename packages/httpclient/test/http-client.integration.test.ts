import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { HttpClient } from '@trawl/httpclient';
import { bodyOf, startServer, testServers } from './test-server.js';

const serve = testServers();
const client = new HttpClient();
/** Patient enough for this machine, impatient enough for a test. */
const hasty = new HttpClient({ timeoutMs: 150, retries: 2, retryDelayMs: 1 });

describe('JSON', () => {
  it('sends a value as JSON and answers status, message, content and headers', async () => {
    const seen: unknown[] = [];
    const url = await serve(async (request, response) => {
      const { accept, 'content-type': type } = request.headers;
      seen.push(request.method, accept, type, JSON.parse(await bodyOf(request)));
      response.writeHead(201, 'Made', { 'Content-Type': 'application/json', 'X-Row': '7' }).end('{"id":7}');
    });
    const answer = await client.json(url, { method: 'POST', body: { title: 'Sea' } });
    expect(seen).toEqual(['POST', 'application/json', 'application/json', { title: 'Sea' }]);
    expect(answer).toMatchObject({ status: 201, statusMessage: 'Made', content: { id: 7 } });
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'x-row': '7' });
  });

  it('sends a string as the JSON text that it is', async () => {
    const url = await serve(async (request, response) => response.end(await bodyOf(request)));
    expect((await client.json(url, { method: 'PUT', body: '[1, 2]' })).content).toEqual([1, 2]);
  });

  it('does not send a string that is not JSON', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests++;
      response.end();
    });
    expect(await client.json(url, { method: 'POST', body: '{ no' })).toEqual({
      status: 400,
      statusMessage: 'Body string is not valid JSON',
      content: null,
      headers: {},
    });
    expect(requests).toBe(0);
  });

  it.each([200, 202])('keeps the status and the text of a %i that is not JSON, and says so', async status => {
    const url = await serve((_request, response) => response.writeHead(status).end('<p>Hello</p>'));
    const answer = await client.json(url);
    expect(answer).toMatchObject({
      status,
      statusMessage: 'Response content is not valid JSON',
      content: '<p>Hello</p>',
    });
  });

  it('names the failure of an error page, not its format', async () => {
    const url = await serve((_request, response) => response.writeHead(502).end('<h1>Upstream</h1>'));
    expect(await client.json(url)).toMatchObject({ status: 502, statusMessage: 'Bad Gateway' });
  });

  it('answers a failure like any other answer, with its content', async () => {
    const url = await serve((_request, response) => response.writeHead(422).end('{"error_message":"No country"}'));
    const answer = await client.json(url);
    expect(answer).toMatchObject({ status: 422, content: { error_message: 'No country' } });
  });

  it('answers null where there is no content', async () => {
    const url = await serve((_request, response) => response.writeHead(204).end());
    expect(await client.json(url)).toMatchObject({ status: 204, statusMessage: 'No Content', content: null });
  });

  it('reads a content of 20 MB whole', async () => {
    const rows = Array.from({ length: 200_000 }, (_, id) => ({ id, text: 'x'.repeat(80) }));
    const url = await serve((_request, response) => response.end(JSON.stringify(rows)));
    expect((await client.json(url)).content).toHaveLength(rows.length);
  });
});

it('fills an empty status text from the table of codes', async () => {
  const url = await serve(({ socket }) => socket.end('HTTP/1.1 429 \r\nContent-Length: 0\r\n\r\n'));
  expect(await client.html(url)).toMatchObject({ status: 429, statusMessage: 'Too Many Requests' });
});

it.each(['html', 'js'] as const)('reads %s as text, whatever it looks like', async kind => {
  const url = await serve((request, response) => response.end(JSON.stringify(request.headers.accept)));
  expect((await client[kind](url)).content).toBe(kind === 'html' ? '"text/html"' : '"text/javascript"');
});

it.each([
  ['application/json; charset=utf-8', { id: 7 }],
  ['Application/JSON', { id: 7 }],
  ['application/problem+json', { id: 7 }],
  ['text/plain', '{"id":7}'],
])('parses what answers a form when its type is %s as %j', async (type, content) => {
  const url = await serve((request, response) => {
    request.resume();
    response.setHeader('Content-Type', type).end('{"id":7}');
  });
  expect((await client.form(url, { title: 'Sea' })).content).toEqual(content);
});

it('sends fields and files as multipart form', async () => {
  const url = await serve(async (request, response) => {
    const form = await new Response(await bodyOf(request), {
      headers: { 'content-type': request.headers['content-type'] as string },
    }).formData();
    const file = form.get('file') as File;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.end(JSON.stringify([request.method, form.get('title'), await file.text()]));
  });
  const answer = await client.form(url, { title: 'Sea', file: new Blob(['deep']) });
  expect(answer.content).toEqual(['POST', 'Sea', 'deep']);
});

it('lets headers of a call win over its own', async () => {
  const url = await serve((request, response) => response.end(JSON.stringify(request.headers.accept)));
  expect((await client.json(url, { headers: { Accept: 'application/ld+json' } })).content).toBe('application/ld+json');
});

describe('an address that cannot be called', () => {
  it.each([
    ['', 'URL is missing'],
    [undefined, 'URL is missing'],
    ['/ip', 'Bad URL: /ip'],
    ['http://', 'Bad URL: http://'],
    ['file:///etc/hostname', 'Bad URL: file:///etc/hostname (http: or https: expected)'],
    ['http://me:secret@localhost:99999/', 'Bad URL: …@localhost:99999/'],
    ['http://me:sec/ret@localhost:99999/', 'Bad URL: …@localhost:99999/'],
    ['ftp://me:secret@localhost/', 'Bad URL: a name and password belong in the Authorization header'],
    ['http://me:secret@localhost/', 'Bad URL: a name and password belong in the Authorization header'],
  ])('%j is answered with 400', async (url, statusMessage) => {
    expect(await client.json(url as string)).toEqual({ status: 400, statusMessage, content: null, headers: {} });
  });
});

it.each([
  ['a GET with a body', { body: { a: 1 } }],
  ['a method with a space', { method: 'GE T' }],
  ['a method that pages and Node do not send', { method: 'CONNECT' }],
  ['a header that HTTP does not know', { headers: { 'x y': '1' } }],
])('%s is a mistake of the caller and no failure of the network', async (_what, request) => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests++;
    response.end();
  });
  await expect(client.json(url, request)).rejects.toMatchObject({ name: 'TypeError' });
  expect(requests).toBe(0);
});

describe('a content past the limit', () => {
  const small = new HttpClient({ maxBytes: 1000, retries: 0 });
  const tooLarge = { status: 0, statusMessage: 'Content is larger than 1000 bytes', content: null, headers: {} };

  it('is not read to its end', async () => {
    const url = await serve((_request, response) => {
      const goOn = () => {
        while (response.write('x'.repeat(500)));
      };
      response.on('drain', goOn);
      goOn();
    });
    expect(await small.html(url)).toEqual(tooLarge);
  });

  it('is counted unpacked', async () => {
    const url = await serve((_request, response) => {
      response.setHeader('Content-Encoding', 'gzip');
      response.end(gzipSync('x'.repeat(1001)));
    });
    expect(await small.html(url)).toEqual(tooLarge);
  });

  it('is one byte more than what is read', async () => {
    const url = await serve((_request, response) => response.end(`${'漢'.repeat(333)}x`));
    expect((await small.html(url)).content).toHaveLength(334);
  });
});

it.each([
  { timeoutMs: Number.POSITIVE_INFINITY },
  { timeoutMs: 0 },
  { timeoutMs: 2 ** 31 },
  { retries: Number.NaN },
  { retries: -1 },
  { retryDelayMs: Number.NaN },
  { maxRedirects: 1.5 },
  { maxBytes: Number.NaN },
])('takes no options like %p', options => {
  expect(() => new HttpClient(options)).toThrow(RangeError);
});

describe('the network', () => {
  it('is answered with 0 and the reason when nobody listens', async () => {
    const server = await startServer(() => {});
    await server.close();
    const answer = await client.json(server.url);
    expect(answer).toMatchObject({ status: 0, content: null, headers: {} });
    expect(answer.statusMessage).toMatch(/^Network error: .*ECONNREFUSED/);
  });

  it('is answered with 0 when the connection drops in the middle of the content, and is not tried again', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests++;
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('half', () => response.destroy());
    });
    expect((await hasty.html(url)).status).toBe(0);
    expect(requests).toBe(1);
  });
});

describe('a timeout', () => {
  const silent = () => {
    const requests: string[] = [];
    return { requests, listener: (request => requests.push(request.method ?? '')) satisfies RequestListener };
  };

  it('is tried again as often as told, and then answered with 408', async () => {
    const { requests, listener } = silent();
    const url = await serve(listener);
    expect(await hasty.json(url)).toEqual({
      status: 408,
      statusMessage: 'Request timeout after 150 ms',
      content: null,
      headers: {},
    });
    expect(requests).toEqual(['GET', 'GET', 'GET']);
  });

  it('is over with the first attempt that is answered', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      if (++requests > 1) response.end('"at last"');
    });
    expect((await hasty.json(url)).content).toBe('at last');
    expect(requests).toBe(2);
  });

  it('counts for the content, too', async () => {
    const url = await serve((_request, response) => {
      response.write('beginning');
    });
    expect((await new HttpClient({ timeoutMs: 150, retries: 0 }).html(url)).status).toBe(408);
  });

  it.each(['HEAD', 'OPTIONS', 'PUT', 'DELETE'])('of a %s is tried again', async method => {
    const { requests, listener } = silent();
    const url = await serve(listener);
    expect((await hasty.json(url, { method })).status).toBe(408);
    expect(requests).toEqual([method, method, method]);
  });

  it('of a POST or PATCH is not tried again, because it may have done its work', async () => {
    const { requests, listener } = silent();
    const url = await serve(listener);
    expect((await hasty.json(url, { method: 'post', body: {} })).status).toBe(408);
    expect((await hasty.form(url, { title: 'Sea' })).status).toBe(408);
    expect((await hasty.json(url, { method: 'PATCH', body: {} })).status).toBe(408);
    expect(requests).toEqual(['POST', 'POST', 'PATCH']);
  });

  it('of a POST that carries an Idempotency-Key is', async () => {
    const { requests, listener } = silent();
    const url = await serve(listener);
    const answer = await hasty.json(url, { method: 'POST', body: {}, headers: { 'Idempotency-Key': 'k-1' } });
    expect(answer.status).toBe(408);
    expect(requests).toEqual(['POST', 'POST', 'POST']);
  });

  it('is all that is tried again: a 503 is an answer', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests++;
      response.writeHead(503).end();
    });
    expect((await hasty.json(url)).status).toBe(503);
    expect(requests).toBe(1);
  });
});

describe('in place of the network', () => {
  const original = globalThis.fetch;
  afterEach(() => {
    jest.restoreAllMocks();
    globalThis.fetch = original;
  });

  it.each([
    ['ETIMEDOUT', 408, 3],
    ['UND_ERR_CONNECT_TIMEOUT', 408, 3],
    ['UND_ERR_HEADERS_TIMEOUT', 408, 3],
    ['UND_ERR_BODY_TIMEOUT', 408, 3],
    ['ECONNRESET', 0, 1],
  ])('%s of Node is answered with %i, after %i attempts', async (code, status, attempts) => {
    let requests = 0;
    globalThis.fetch = async () => {
      requests++;
      throw Object.assign(new TypeError('fetch failed'), { cause: { code } });
    };
    expect((await hasty.json('http://localhost/')).status).toBe(status);
    expect(requests).toBe(attempts);
  });

  it('an answer leaves no timer behind, which would keep a process from ending', async () => {
    const timers: unknown[] = [];
    const setTimeoutOfNode = globalThis.setTimeout;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms?: number) => {
      const timer = setTimeoutOfNode(act, ms);
      timers.push(timer);
      return timer;
    }) as typeof setTimeout);
    const cleared = jest.spyOn(globalThis, 'clearTimeout');
    globalThis.fetch = async () => new Response('1');
    await client.json('http://localhost/');
    expect(timers).toHaveLength(1);
    expect(cleared.mock.calls).toEqual([[timers[0]]]);
    globalThis.fetch = () => Promise.reject(new TypeError('fetch failed'));
    await client.json('http://localhost/');
    expect(cleared.mock.calls.map(([timer]) => timer)).toEqual(timers);
  });

  it('8000 ms are waited for an answer, 3 more times, 5500 ms apart, unless told otherwise', async () => {
    const waits: (number | undefined)[] = [];
    const setTimeoutOfNode = globalThis.setTimeout;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms?: number) => {
      waits.push(ms);
      return setTimeoutOfNode(act, 1);
    }) as typeof setTimeout);
    globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    expect((await new HttpClient().json('http://localhost/')).statusMessage).toBe('Request timeout after 8000 ms');
    expect(waits).toEqual([8000, 5500, 8000, 5500, 8000, 5500, 8000]);
  });
});
