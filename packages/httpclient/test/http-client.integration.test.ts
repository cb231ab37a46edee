import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { HttpClient } from '@trawl/httpclient';
import { bodyOf, startServer, testServers } from './test-server.js';

const serve = testServers();
const client = new HttpClient();
/** This client's timeout is long enough for a busy machine, and short enough for a test that waits for it. */
const hasty = new HttpClient({ timeoutMs: 150, retries: 2, retryDelayMs: 1 });

describe('HttpClient and character encodings', () => {
  const page = (meta: string, hex: string) => Buffer.concat([Buffer.from(`<html>${meta}<p>`), Buffer.from(hex, 'hex')]);

  it.each([
    ['windows-1250 of the header', 'text/html; charset=windows-1250', page('', '8ec9e1'), '<html><p>ŽÉá'],
    ['windows-1252 of the header', 'text/html; charset="Windows-1252"', page('', '809299ff'), '<html><p>€’™ÿ'],
    ['latin1, which is windows-1252', 'text/html;charset=iso-8859-1', page('', '80e9'), '<html><p>€é'],
    ['iso-8859-2', 'text/plain; charset=ISO-8859-2', Buffer.from('a9b9', 'hex'), 'Šš'],
    ['shift_jis', 'application/json; charset=Shift_JIS', Buffer.from('22835c22', 'hex'), '"ソ"'],
    ['gb18030', 'text/html; charset=gb18030', page('', 'c4e3ba cc'.replace(' ', '')), '<html><p>你禾'],
    ['euc-kr of meta', 'text/html', page('<meta charset=euc-kr>', 'b0a1'), '<html><meta charset=euc-kr><p>가'],
    [
      'meta with http-equiv',
      'text/html',
      page('<META http-equiv="Content-Type" content="text/html; charset=windows-1251">', 'cfe8'),
      '<html><META http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>Пи',
    ],
    ['the header before meta', 'text/html; charset=utf-8', page('<meta charset="big5">', 'c3a9'), /é$/],
    ['meta if the header is unknown', 'text/html; charset=none', page('<meta charset="koi8-r"/>', 'c1'), /а$/],
    ['no meta in a comment', 'text/html', page('<!-- <meta charset="big5"> -->', 'c3a9'), /é$/],
    ['no meta of a script', 'text/javascript', page('<meta charset="big5">', 'c3a9'), /é$/],
    ['UTF-8 for a page that says UTF-16', 'text/html', page('<meta charset="utf-16le">', 'c3a9'), /é$/],
    ['XML', 'text/xml', Buffer.from('<?xml version="1.0" encoding="windows-1252"?>\x93', 'latin1'), /“$/],
    ['a byte order mark before all', 'text/html; charset=big5', Buffer.from('efbbbfc3a9', 'hex'), 'é'],
    ['UTF-16 with a byte order mark', 'text/html', Buffer.from('\uFEFF<p>é', 'utf16le'), '<p>é'],
    ['UTF-8 without a name', 'text/html', Buffer.from('c3a9', 'hex'), 'é'],
  ])('decodes %s', async (_, type, bytes, expected) => {
    const url = await serve((_request, response) => response.setHeader('content-type', type).end(bytes));
    const { content } = await client.html(url);
    if (typeof expected === 'string') expect(content).toBe(expected);
    else expect(content).toMatch(expected);
  });

  it('decodes a character that arrives in two parts', async () => {
    const url = await serve((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=gb18030').write(Buffer.from('c4', 'hex'), () => {
        setImmediate(() => response.end(Buffer.from('e3', 'hex')));
      });
    });
    expect((await client.html(url)).content).toBe('你');
  });
});

describe('HttpClient.json', () => {
  it('sends a value as JSON and returns status, message, content and headers', async () => {
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

  it('sends a string that is JSON text unchanged', async () => {
    const url = await serve(async (request, response) => response.end(await bodyOf(request)));
    expect((await client.json(url, { method: 'PUT', body: '[1, 2]' })).content).toEqual([1, 2]);
  });

  it('answers with status 400 and sends nothing if the body string is not JSON', async () => {
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

  it.each([200, 202])(
    'returns status and text of a %i response that is not JSON, and names the problem in statusMessage',
    async status => {
      const url = await serve((_request, response) => response.writeHead(status).end('<p>Hello</p>'));
      const answer = await client.json(url);
      expect(answer).toMatchObject({
        status,
        statusMessage: 'Response content is not valid JSON',
        content: '<p>Hello</p>',
      });
    },
  );

  it('reports the status of an HTML error page instead of its invalid JSON', async () => {
    const url = await serve((_request, response) => response.writeHead(502).end('<h1>Upstream</h1>'));
    expect(await client.json(url)).toMatchObject({ status: 502, statusMessage: 'Bad Gateway' });
  });

  it('resolves with status and content of a 422 response', async () => {
    const url = await serve((_request, response) => response.writeHead(422).end('{"error_message":"No country"}'));
    const answer = await client.json(url);
    expect(answer).toMatchObject({ status: 422, content: { error_message: 'No country' } });
  });

  it('returns null as the content of an empty response', async () => {
    const url = await serve((_request, response) => response.writeHead(204).end());
    expect(await client.json(url)).toMatchObject({ status: 204, statusMessage: 'No Content', content: null });
  });

  it('reads a response of 20 MB', async () => {
    const rows = Array.from({ length: 200_000 }, (_, id) => ({ id, text: 'x'.repeat(80) }));
    const url = await serve((_request, response) => response.end(JSON.stringify(rows)));
    expect((await client.json(url)).content).toHaveLength(rows.length);
  });
});

it('HttpClient replaces an empty status text with the standard one', async () => {
  const url = await serve(({ socket }) => socket.end('HTTP/1.1 429 \r\nContent-Length: 0\r\n\r\n'));
  expect(await client.html(url)).toMatchObject({ status: 429, statusMessage: 'Too Many Requests' });
});

it.each(['html', 'js'] as const)('HttpClient reads %s as text without parsing it', async kind => {
  const url = await serve((request, response) => response.end(JSON.stringify(request.headers.accept)));
  expect((await client[kind](url)).content).toBe(kind === 'html' ? '"text/html"' : '"text/javascript"');
});

it.each([
  ['application/json; charset=utf-8', { id: 7 }],
  ['Application/JSON', { id: 7 }],
  ['application/problem+json', { id: 7 }],
  ['text/plain', '{"id":7}'],
])('HttpClient parses the response to a form by its content type: %s as %j', async (type, content) => {
  const url = await serve((request, response) => {
    request.resume();
    response.setHeader('Content-Type', type).end('{"id":7}');
  });
  expect((await client.form(url, { title: 'Sea' })).content).toEqual(content);
});

it('HttpClient.form sends fields and files as a multipart form', async () => {
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

it('headers of a call override the default headers of HttpClient', async () => {
  const url = await serve((request, response) => response.end(JSON.stringify(request.headers.accept)));
  expect((await client.json(url, { headers: { Accept: 'application/ld+json' } })).content).toBe('application/ld+json');
});

describe('HttpClient with a URL that cannot be called', () => {
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
  ])('answers %j with status 400 and a reason that hides passwords', async (url, statusMessage) => {
    expect(await client.json(url as string)).toEqual({ status: 400, statusMessage, content: null, headers: {} });
  });
});

it.each([
  ['a GET with a body', { body: { a: 1 } }],
  ['a method with a space', { method: 'GE T' }],
  ['a method that fetch forbids', { method: 'CONNECT' }],
  ['an invalid header', { headers: { 'x y': '1' } }],
])('HttpClient rejects %s with a TypeError instead of reporting a network error', async (_what, request) => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests++;
    response.end();
  });
  await expect(client.json(url, request)).rejects.toMatchObject({ name: 'TypeError' });
  expect(requests).toBe(0);
});

describe('HttpClient and responses larger than maxBytes', () => {
  const small = new HttpClient({ maxBytes: 1000, retries: 0 });
  const tooLarge = { status: 0, statusMessage: 'Content is larger than 1000 bytes', content: null, headers: {} };

  it('stops reading a response that exceeds maxBytes', async () => {
    const url = await serve((_request, response) => {
      const fill = () => {
        while (response.write('x'.repeat(500)));
      };
      response.on('drain', fill);
      fill();
    });
    expect(await small.html(url)).toEqual(tooLarge);
  });

  it('compares the uncompressed size with maxBytes', async () => {
    const url = await serve((_request, response) => {
      response.setHeader('Content-Encoding', 'gzip');
      response.end(gzipSync('x'.repeat(1001)));
    });
    expect(await small.html(url)).toEqual(tooLarge);
  });

  it('accepts a response of exactly maxBytes', async () => {
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
])('HttpClient refuses the invalid options %p', options => {
  expect(() => new HttpClient(options)).toThrow(RangeError);
});

describe('HttpClient after a network error', () => {
  it('resolves with status 0 and the reason if the server is down', async () => {
    const server = await startServer(() => {});
    await server.close();
    const answer = await client.json(server.url);
    expect(answer).toMatchObject({ status: 0, content: null, headers: {} });
    expect(answer.statusMessage).toMatch(/^Network error: .*ECONNREFUSED/);
  });

  it('resolves with status 0 if the connection drops during the content, without a retry', async () => {
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

describe('a timeout of HttpClient', () => {
  const silent = () => {
    const requests: string[] = [];
    return { requests, listener: (request => requests.push(request.method ?? '')) satisfies RequestListener };
  };

  it('is retried the set number of times, then resolves with status 408', async () => {
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

  it('is not retried further once an attempt has succeeded', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      if (++requests > 1) response.end('"at last"');
    });
    expect((await hasty.json(url)).content).toBe('at last');
    expect(requests).toBe(2);
  });

  it('also ends a response whose content stalls', async () => {
    const url = await serve((_request, response) => {
      response.write('beginning');
    });
    expect((await new HttpClient({ timeoutMs: 150, retries: 0 }).html(url)).status).toBe(408);
  });

  it.each(['HEAD', 'OPTIONS', 'PUT', 'DELETE'])('of a %s request is retried', async method => {
    const { requests, listener } = silent();
    const url = await serve(listener);
    expect((await hasty.json(url, { method })).status).toBe(408);
    expect(requests).toEqual([method, method, method]);
  });

  it('of a POST or PATCH request is not retried, because the request may have succeeded', async () => {
    const { requests, listener } = silent();
    const url = await serve(listener);
    expect((await hasty.json(url, { method: 'post', body: {} })).status).toBe(408);
    expect((await hasty.form(url, { title: 'Sea' })).status).toBe(408);
    expect((await hasty.json(url, { method: 'PATCH', body: {} })).status).toBe(408);
    expect(requests).toEqual(['POST', 'POST', 'PATCH']);
  });

  it('of a POST request with an Idempotency-Key is retried', async () => {
    const { requests, listener } = silent();
    const url = await serve(listener);
    const answer = await hasty.json(url, { method: 'POST', body: {}, headers: { 'Idempotency-Key': 'k-1' } });
    expect(answer.status).toBe(408);
    expect(requests).toEqual(['POST', 'POST', 'POST']);
  });

  it('is the only reason for a retry: a 503 response is not retried', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests++;
      response.writeHead(503).end();
    });
    expect((await hasty.json(url)).status).toBe(503);
    expect(requests).toBe(1);
  });
});

describe('HttpClient with a mocked fetch', () => {
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
  ])('reports %s from Node as status %i after %i attempts', async (code, status, attempts) => {
    let requests = 0;
    globalThis.fetch = async () => {
      requests++;
      throw Object.assign(new TypeError('fetch failed'), { cause: { code } });
    };
    expect((await hasty.json('http://localhost/')).status).toBe(status);
    expect(requests).toBe(attempts);
  });

  it('clears its timers after success and failure, so that the process can exit', async () => {
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

  it('waits 8000 ms for each attempt, retries 3 times and waits 5500 ms between attempts by default', async () => {
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
