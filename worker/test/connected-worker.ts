import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

/** A platform with one worker, for the tests of one file; the worker is connected when the first of them begins. */
export function connectedWorker(environment: Record<string, string> = {}): {
  platform: PlatformStandIn;
  worker: () => WorkerProcess;
} {
  const platform = new PlatformStandIn();
  let worker: WorkerProcess;
  beforeAll(async () => {
    await platform.open();
    worker = await WorkerProcess.create(platform.url);
    worker.start(environment);
    await platform.connected();
  });
  afterAll(async () => {
    await worker?.remove();
    await platform.close();
  });
  return { platform, worker: () => worker };
}
