import { hostPath } from '../host/host-path.js';
import { HostProcess } from '../host/host-process.js';
import { freePort } from '../system/free-port.js';

const PORT_ATTEMPTS = 5;

/** Starts a host of PostgreSQL on a free port, and on another one if another program was faster. @throws Error that says what to do */
export async function startHostOnPort<Config extends { logPath: string }>(
  name: Parameters<typeof hostPath>[0],
  configFor: (port: number) => Config,
  onProgress: (line: string) => void,
): Promise<{ port: number; host: HostProcess }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const config = configFor(port);
    const host = new HostProcess(
      {
        engine: 'PostgreSQL',
        command: process.execPath,
        args: [hostPath(name), JSON.stringify(config)],
        logPath: config.logPath,
      },
      onProgress,
    );
    try {
      await host.start();
      return { port, host };
    } catch (error) {
      await host.stop();
      const isTaken = error instanceof Error && /EADDRINUSE|Address already in use/.test(error.message);
      if (!isTaken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
