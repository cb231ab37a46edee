import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { makeLogger } from '../common/logger.js';
import { requestLog } from './request-log.js';

/** Calls the paths and returns the log lines. Each path contains the status with which the server responds. */
async function linesOf(logLevel: 'info' | 'debug', paths: string[]) {
  const lines: any[] = [];
  const app = express();
  app.use(requestLog(makeLogger({ logLevel }, { write: line => void lines.push(JSON.parse(line)) })));
  const closed: Promise<unknown>[] = [];
  app.get('/:where/:status', (request, response) => {
    closed.push(once(response, 'close'));
    response.status(Number(request.params.status)).end();
  });
  const server = app.listen(0);
  await once(server, 'listening');
  const ids: (string | null)[] = [];
  for (const path of paths) {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    ids.push(answer.headers.get('x-request-id'));
  }
  await Promise.all(closed);
  server.close();
  server.closeAllConnections();
  return { ids, lines };
}

it('a request that fails with 500 is logged with its request id and without its query', async () => {
  const { ids, lines } = await linesOf('info', ['/a/200?token=1', '/a/404', '/a/503', '/a/500?token=1']);
  expect(new Set(ids).size).toBe(4);
  expect(lines).toMatchObject([
    {
      level: 50,
      request_id: ids[3],
      req: { method: 'GET', path: '/a/500' },
      res: { status: 500 },
      msg: 'request answered',
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('token');
});

it('other requests are logged at the level debug, except health checks', async () => {
  const { lines } = await linesOf('debug', ['/a/200', '/health/200', '/a/503']);
  expect(lines.map(({ level, res }) => [level, res.status])).toEqual([
    [20, 200],
    [20, 503],
  ]);
});
