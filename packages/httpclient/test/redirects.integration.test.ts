import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { HttpClient } from '@trawl/httpclient';
import { bodyOf, testServers } from './test-server.js';

const serve = testServers();
const client = new HttpClient();

/** Redirects `/3` to `/2`, that to `/1`, and that to `/0`, which sends a normal response. */
const steps: RequestListener = ({ url = '' }, response) => {
  const left = Number(url.slice(1));
  if (left === 0) response.end('"arrived"');
  else response.writeHead(302, { Location: `/${left - 1}` }).end('moved');
};

it('HttpClient follows up to three redirects by default', async () => {
  const url = await serve(steps);
  expect(await client.json(`${url}/3`)).toMatchObject({ status: 200, content: 'arrived' });
});

it('HttpClient returns the redirect response itself once maxRedirects is reached', async () => {
  const url = await serve(steps);
  expect(await client.html(`${url}/4`)).toMatchObject({ status: 302, statusMessage: 'Found', content: 'moved' });
  const none = new HttpClient({ maxRedirects: 0 });
  expect(await none.html(`${url}/1`)).toMatchObject({ status: 302, headers: { location: '/0' } });
});

it('HttpClient stops following a redirect loop after three redirects', async () => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests++;
    response.writeHead(301, { Location: '/' }).end();
  });
  expect((await client.json(url)).status).toBe(301);
  expect(requests).toBe(4);
});

it.each([
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', '{"a":1}'],
  [308, 'POST', '{"a":1}'],
])('HttpClient follows a %i response to a POST with a %s request', async (status, method, body) => {
  const url = await serve(async (request, response) => {
    if (request.url === '/') return response.writeHead(status, { Location: '/new' }).end();
    const { 'content-type': type = null } = request.headers;
    return response.end(JSON.stringify({ method: request.method, body: await bodyOf(request), type }));
  });
  const { content } = await client.json(url, { method: 'POST', body: { a: 1 } });
  expect(content).toEqual({ method, body, type: body ? 'application/json' : null });
});

it.each([
  [301, 'PUT', 'PUT', '{"a":1}'],
  [302, 'PATCH', 'PATCH', '{"a":1}'],
  [302, 'DELETE', 'DELETE', '{"a":1}'],
  [303, 'PUT', 'GET', ''],
  [303, 'DELETE', 'GET', ''],
  [308, 'PUT', 'PUT', '{"a":1}'],
])('HttpClient follows a %i response to a %s with a %s request', async (status, method, next, body) => {
  const url = await serve(async (request, response) => {
    if (request.url === '/') return response.writeHead(status, { Location: '/new' }).end();
    return response.end(JSON.stringify({ method: request.method, body: await bodyOf(request) }));
  });
  expect((await client.json(url, { method, body: { a: 1 } })).content).toEqual({ method: next, body });
});

it.each([301, 303, 307])('HttpClient follows a %i response to a HEAD with another HEAD request', async status => {
  const methods: unknown[] = [];
  const url = await serve((request, response) => {
    methods.push(request.method);
    if (request.url === '/') response.writeHead(status, { Location: '/new' }).end();
    else response.end();
  });
  expect((await client.html(url, { method: 'HEAD' })).status).toBe(200);
  expect(methods).toEqual(['HEAD', 'HEAD']);
});

it.each(['authorization', 'cookie', 'proxy-authorization'])(
  'HttpClient does not send the header %s to another origin after a redirect',
  async name => {
    const other = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const url = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { Location: '/same' }).end();
      else if (request.headers[name]) response.writeHead(302, { Location: other }).end();
      else response.writeHead(401).end();
    });
    const { content } = await client.json(url, { headers: { [name]: 'Bearer t', 'X-Kept': 'yes' } });
    expect(content).toMatchObject({ 'x-kept': 'yes' });
    expect(content).not.toHaveProperty(name);
  },
);

it('HttpClient follows a redirect without waiting for the end of its body', async () => {
  let redirectIsGone: Promise<unknown> | undefined;
  const url = await serve((request, response) => {
    if (request.url === '/new') return response.end('"arrived"');
    redirectIsGone = once(response, 'close');
    return response.writeHead(302, { Location: '/new' }).write('and so on');
  });
  expect((await client.json(url)).content).toBe('arrived');
  await redirectIsGone;
});

it.each(['file:///etc/hostname', 'http://'])(
  'HttpClient does not follow a redirect to %s, and returns the redirect response',
  async location => {
    const url = await serve((_request, response) => response.writeHead(302, { Location: location }).end());
    expect((await client.html(url)).status).toBe(302);
  },
);
