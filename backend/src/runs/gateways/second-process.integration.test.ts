import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { appForFile } from '../../../test/test-app.js';
import { fleetForEachTest, sweepLeases, TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { createApp } from '../../app.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
/** A process on another machine, which has another data folder. */
const OTHER_FOLDER = { previous_boot_id: null };

let second: NestExpressApplication;
let elsewhere: typeof app;
beforeAll(async () => {
  second = await createApp(app.config, pino({ level: 'silent' }));
  await second.listen(0, '127.0.0.1');
  elsewhere = { ...app, url: await second.getUrl() };
});
afterAll(() => second?.close());

const beat = (worker: TestWorker) => worker.send('beat', { epoch: worker.welcome.epoch, n: 1, free: 2, load: 0 });
const run = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
/** Connects like a real worker: tries again until the platform lets it in. */
const connectWhenFree = (hello = {}) =>
  until(
    () => fleet.connect({ ...OTHER_FOLDER, ...hello }).catch(() => null),
    worker => worker !== null,
  ) as Promise<TestWorker>;

describe('a second process with the key of a worker', () => {
  it('is refused by every backend while the first process is connected, with advice', async () => {
    const first = await fleet.connect();
    const { body } = await fleet.start();
    await first.offers.next();
    const refused =
      /^Another process is connected as worker fleet-\d+ since \d{4}-.*Z from 127\.0\.0\.1\. Stop that process, or start this one with a key of its own/;
    for (const backend of [app, elsewhere, app]) {
      await expect(TestWorker.connect(backend, fleet.key, OTHER_FOLDER)).rejects.toThrow(refused);
    }
    expect(await beat(first)).toEqual({ n: 1 });
    await first.finish(body.id);
    expect(await run(body.id)).toMatchObject({ action: 'end' });
  });

  it('is accepted after the first process has disconnected', async () => {
    const first = await fleet.connect();
    first.close();
    const next = await connectWhenFree();
    expect(await beat(next)).toEqual({ n: 1 });
    await expect(fleet.connect({ ...OTHER_FOLDER, boot_id: first.bootId })).rejects.toThrow('is connected as worker');
  });

  it('is refused while the first process is offline with live runs and its lease has not expired', async () => {
    const first = await fleet.connect();
    const { body } = await fleet.start();
    await first.offers.next();
    first.close();
    await fleet.untilOffline();
    await expect(fleet.connect(OTHER_FOLDER)).rejects.toThrow('its runs have not ended. If it does not come back');
    const again = await fleet.connect({ boot_id: first.bootId, live: [body.id] });
    expect(again.welcome.kill).toEqual([]);
    await again.finish(body.id);
    expect(await run(body.id)).toMatchObject({ action: 'end' });
  });

  it('is accepted once the lease of the first process has expired, and the runs of the first are lost', async () => {
    const first = await fleet.connect();
    const { body } = await fleet.start();
    await first.offers.next();
    await app.sql(`UPDATE worker_leases SET lease_until = now() - interval '1 s' WHERE worker_id = $1`, [
      fleet.workerId,
    ]);
    await sweepLeases(app);
    const next = await connectWhenFree();
    expect(await run(body.id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
    await until(
      () => first.socket.connected,
      is => !is,
    );
    await expect(fleet.connect({ ...OTHER_FOLDER, boot_id: first.bootId, live: [body.id] })).rejects.toThrow(
      'is connected as worker',
    );
    expect(await beat(next)).toEqual({ n: 1 });
  });
});

it('a worker that was killed and restarts from its folder is accepted at once by any backend', async () => {
  const first = await fleet.connect();
  const { body } = await fleet.start();
  await first.offers.next();
  // The socket of the first process is still open, as after a power cut of its machine.
  const next = await TestWorker.connect(elsewhere, fleet.key);
  expect(await run(body.id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
  expect(await beat(next)).toEqual({ n: 1 });
  expect((await beat(first)).error.code).toBe('stale_epoch');
  next.close();
});

it('of two new processes that connect with the same key at once, exactly one is accepted', async () => {
  const hellos = await Promise.allSettled([app, elsewhere].map(at => TestWorker.connect(at, fleet.key, OTHER_FOLDER)));
  expect(hellos.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  for (const hello of hellos) if (hello.status === 'fulfilled') hello.value.close();
});
