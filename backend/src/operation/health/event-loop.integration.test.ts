import { appForFile } from '../../../test/test-app.js';
import { until } from '../../../test/until.js';
import { EventLoop } from './event-loop.service.js';

const { app } = appForFile();

const ready = () => app.anonymous('GET', '/health/ready');

/** Keeps the event loop busy. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('a backend whose event loop was blocked reports it in /health/ready for a minute, and stays ready', async () => {
  const loop = app.part(EventLoop);
  /** As if a minute had passed. */
  const passMinute = () => Array.from({ length: 7 }, () => loop.next());
  await until(
    async () => {
      passMinute();
      return ready();
    },
    ({ body }) => body.details.event_loop.status === 'up',
  );
  // A block within the first 20 ms of a part is not counted.
  const { status, body } = await until(
    () => {
      block(1_500);
      return ready();
    },
    ({ body }) => body.details.event_loop.status === 'degraded',
  );
  expect([status, body.status, body.error]).toEqual([200, 'ok', {}]);
  const blockedMs = Number(/was blocked for (\d+) ms in the last minute/.exec(body.info.event_loop.reason)?.[1]);
  expect(blockedMs).toBeGreaterThanOrEqual(1_400);
  for (let part = 0; part < 6; part += 1) loop.next();
  expect(loop.blockedMs).toBeGreaterThanOrEqual(1_400);
  loop.next();
  await until(
    async () => {
      passMinute();
      return ready();
    },
    ({ body }) => body.details.event_loop.status === 'up',
  );
});
