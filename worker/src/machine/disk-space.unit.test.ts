import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { DiskSpace } from './disk-space.js';

async function watched(folder: string, warnBytes: number) {
  const lines: any[] = [];
  const log = pino({}, { write: line => void lines.push(JSON.parse(line)) });
  const space = await DiskSpace.watch(folder, warnBytes, log);
  space.close();
  return { state: space.state, lines };
}

test('the worker warns when less disk space is free than the setting says, with folder and free bytes', async () => {
  const { state, lines } = await watched(tmpdir(), Number.MAX_SAFE_INTEGER);
  expect(state?.free).toBeLessThanOrEqual(state?.total as number);
  expect(lines).toMatchObject([{ level: 40, folder: tmpdir(), free_bytes: state?.free, total_bytes: state?.total }]);
});

test('the worker logs nothing while enough disk space is free', async () => {
  expect((await watched(tmpdir(), 0)).lines).toEqual([]);
});

test('when the free disk space of a folder cannot be read, the worker warns and continues', async () => {
  const { state, lines } = await watched('/nowhere', 0);
  expect(state).toBeNull();
  expect(lines).toMatchObject([{ level: 40, msg: 'failed to read the free disk space' }]);
});
