import { HttpClient } from '@trawl/httpclient';
import { bodyOf, startServer, testServers } from './test-server.js';

const serve = testServers();

it('HttpClient sends http: calls, forms and redirects through the proxy with the credentials of its URL', async () => {
  const seen: unknown[] = [];
  const proxy = await serve(async (request, response) => {
    seen.push([request.method, request.url, request.headers['proxy-authorization']]);
    const form = /boundary=/.test(request.headers['content-type'] ?? '') ? await bodyOf(request) : '';
    if (request.url?.endsWith('/moved')) response.writeHead(302, { Location: '/new' }).end();
    else response.end(JSON.stringify({ via: 'proxy', hasTitle: form.includes('Sea stories') }));
  });
  const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  const client = new HttpClient({ proxyUrl: proxy.replace('//', '//me:p%40ss@'), retries: 0 });
  expect((await client.json('http://shop.example/moved')).content).toEqual({ via: 'proxy', hasTitle: false });
  const answer = await client.form('http://shop.example/', { title: 'Sea stories' });
  expect(JSON.parse(answer.content as string)).toEqual({ via: 'proxy', hasTitle: true });
  expect(seen).toEqual([
    ['GET', 'http://shop.example/moved', authorization],
    ['GET', 'http://shop.example/new', authorization],
    ['POST', 'http://shop.example/', authorization],
  ]);
});

it('HttpClient opens a proxy tunnel for https: calls, and hides the password if the tunnel fails', async () => {
  const tunnels: unknown[] = [];
  const server = await startServer(() => {});
  server.onConnect(({ url, headers }, socket) => {
    tunnels.push([url, headers['proxy-authorization']]);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const client = new HttpClient({ proxyUrl: server.url.replace('//', '//me:secret@'), retries: 0 });
  const { status, statusMessage } = await client.json('https://shop.example/');
  expect(tunnels).toEqual([['shop.example:443', `Basic ${Buffer.from('me:secret').toString('base64')}`]]);
  expect({ status, statusMessage }).toEqual({
    status: 0,
    statusMessage: expect.stringMatching(/^Network error: .*403/),
  });
  expect(statusMessage).not.toContain('secret');
  server.onConnect(({ url }, socket) => {
    tunnels.push(url);
    socket.destroy();
  });
  expect((await client.json('https://shop.example/')).statusMessage).toBe('Network error: other side closed');
  expect(tunnels).toHaveLength(2);
  await server.close();
  expect((await client.json('https://shop.example/')).statusMessage).toMatch(/ECONNREFUSED/);
});
