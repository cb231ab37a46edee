import { PlatformStandIn } from './platform-stand-in.js';
import { until } from './run-processes.js';
import { WorkerProcess } from './worker-process.js';

interface ConnectedWorker {
  platform: PlatformStandIn;
  worker: () => WorkerProcess;
}

/** Starts a stand-in for the platform and one worker for all tests of a file. Waits until the worker is connected. */
export function connectedWorker(environment: Record<string, string> = {}): ConnectedWorker {
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

/**
 * Like `connectedWorker`, but for tests that stop or break the worker or the platform. At the beginning of each test, a
 * worker without runs is connected. The worker is replaced only if the last test changed it, because a start takes a
 * second.
 */
export function restoredWorker(environment: Record<string, string> = {}): ConnectedWorker {
  const platform = new PlatformStandIn();
  let worker: WorkerProcess | undefined;
  beforeEach(async () => {
    if (!worker || !platform.isSound || !worker.isRunning(environment)) {
      await worker?.remove();
      await platform.close();
      await platform.open();
      worker = await WorkerProcess.create(platform.url);
      platform.forget();
      worker.start(environment);
      await platform.connected();
    }
    await platform.stopRuns();
    await until(worker.leftRuns.bind(worker), runs => runs.length === 0);
    platform.forget();
  });
  afterAll(async () => {
    await worker?.remove();
    await platform.close();
  });
  return { platform, worker: () => worker as WorkerProcess };
}
