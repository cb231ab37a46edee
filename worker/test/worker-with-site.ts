import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS, type Offer } from '@trawl/contracts';
import { PlatformStandIn } from './platform-stand-in.js';
import { WITH_BROWSER, WorkerProcess } from './worker-process.js';

/** Options of a run with a browser. */
export const BROWSER: Partial<Offer> = {
  environment: 'browser',
  limits: { time_ms: 60_000, pause_ms: 60_000, output_bytes: LIMITS.outputBytes },
};

/** Starts a worker with Chromium for the tests of a file or group, and a website that the worker's runs may reach. */
export function workerWithSite(listener: RequestListener, environment: Record<string, string> = {}) {
  const platform = new PlatformStandIn();
  let worker: WorkerProcess;
  let server: Server;
  let site: string;

  beforeAll(async () => {
    server = createServer(listener).listen(0, '127.0.0.1');
    await platform.open();
    const { port } = server.address() as AddressInfo;
    site = `http://127.0.0.1:${port}`;
    worker = await WorkerProcess.create(platform.url);
    worker.start({ ...WITH_BROWSER, TRAWL_EGRESS_ALLOW: `127.0.0.1:${port}`, ...environment });
    await platform.until(() => platform.hellos.length > 0, 'a worker that said hello');
  });

  afterAll(async () => {
    await worker?.remove();
    await platform.close();
    server?.close();
  });

  async function run(skript: Record<string, string> | string, options: Partial<Offer> = {}) {
    const id = await platform.start(skript, { ...BROWSER, ...options });
    const finish = await platform.ended(id);
    return { finish, echoes: await platform.echoes(id) };
  }

  async function output<Output = Record<string, unknown>>(skript: Record<string, string> | string): Promise<Output> {
    const { finish } = await run(skript);
    expect(finish.error_stack).toBeNull();
    return JSON.parse(finish.output ?? 'null');
  }

  return { platform, site: () => site, run, output };
}
