import type { Finish } from '@trawl/contracts';
import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

const platform = new PlatformStandIn();
let worker: WorkerProcess;

beforeAll(async () => {
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  worker.start();
  await platform.connected();
});

afterAll(async () => {
  await worker.remove();
  await platform.close();
});

test('what main.js returns is the output, and undefined is null', async () => {
  expect(await platform.run('module.exports = async input => ({ got: input });', { input: '{"a":1}' })).toMatchObject({
    action: 'end',
    output: '{"got":{"a":1}}',
    error_code: null,
    error_stack: null,
  });
  expect(await platform.run('exports.default = () => {};')).toMatchObject({ action: 'end', output: 'null' });
  expect(
    await platform.run('export default async (input, inputSecret) => inputSecret.n;', { input_secret: '{"n":4}' }),
  ).toMatchObject({ action: 'end', output: '4' });
});
