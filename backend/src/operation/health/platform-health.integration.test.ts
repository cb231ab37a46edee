import { appForFile } from '../../../test/test-app.js';
import { fleetForEachTest } from '../../../test/test-worker.js';
import { makeLogger } from '../../platform/common/logger.js';
import { DiskSpace } from './disk-space.service.js';

const lines: any[] = [];
const logger = makeLogger({ logLevel: 'info' }, { write: line => void lines.push(JSON.parse(line)) });
const { app, admin, developer } = appForFile({ logger, settings: { diskWarnBytes: 1_000 } });
const fleet = fleetForEachTest(app);
const diskLines = () => lines.map(({ msg }) => msg).filter(msg => msg.includes('disk space'));

it('administrators see the disk space of the backend and its workers, and the size of the database', async () => {
  const worker = await fleet.connect();
  const usage = { cpu: 0, memory_used: 1, memory_total: 2, disk_free: 999, disk_total: 5_000 };
  await worker.send('beat', { epoch: worker.welcome.epoch, n: 1, free: 1, load: 0, usage });
  const { status, body } = await admin('GET', '/joint-api/platform-health');
  expect(status).toBe(200);
  expect(body.disk.free_bytes).toBeGreaterThan(0);
  expect(body.disk.total_bytes).toBeGreaterThan(body.disk.free_bytes);
  expect(body.postgres.size_bytes).toBeGreaterThan(1_000_000);
  expect(body.worker_disks).toEqual([
    { id: fleet.workerId, name: expect.any(String), free_bytes: 999, total_bytes: 5_000, is_low: true },
  ]);
  expect(body.versions.workers).toEqual([{ version: expect.any(String), count: 1 }]);
  expect(body.versions.backend).toMatch(/^\d+\.\d+\.\d+/);
  expect(body.last_backup_at).toBeNull();
  expect((await developer('GET', '/joint-api/platform-health')).status).toBe(403);
});

it('the log says once that little disk space is left, and once that there is enough again', async () => {
  const space = app.part(DiskSpace);
  await space.check();
  expect(diskLines()).toEqual([]);
  app.config.diskWarnBytes = Number.MAX_SAFE_INTEGER;
  await space.check();
  await space.check();
  expect(diskLines()).toEqual([expect.stringMatching(/^little disk space left/)]);
  expect(lines.at(-1)).toMatchObject({ level: 40, folder: app.config.dataDir, free_bytes: expect.any(Number) });
  expect((await admin('GET', '/joint-api/platform-health')).body.disk.is_low).toBe(true);
  app.config.diskWarnBytes = 1_000;
  await space.check();
  expect(diskLines()[1]).toBe('enough disk space again');
});
