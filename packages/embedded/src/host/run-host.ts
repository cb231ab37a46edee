import type { CappedLog } from './capped-log.js';

/** A database engine that a host runs. */
export interface HostedEngine {
  /** Shuts the engine down. If that takes too long, kills it. */
  stop(): Promise<void>;
  /**
   * Resolves to the reason when the engine ends. It never resolves if the engine runs inside the host's own process.
   */
  exited: Promise<string>;
}

/** A message that a host sends to its parent, as one line on standard output. */
export type HostMessage = { ready: true } | { error: string };

/** Lines of the host begin with this prefix, because an engine in the same process also prints to standard output. */
const MESSAGE_PREFIX = 'trawl-host:';

export function readHostMessage(line: string): HostMessage | undefined {
  if (!line.startsWith(MESSAGE_PREFIX)) return undefined;
  return JSON.parse(line.slice(MESSAGE_PREFIX.length)) as HostMessage;
}

/**
 * Runs a host process: starts the engine, reports to the parent, and stops the engine on a signal or when the parent is
 * gone. The parent keeps the host's standard input open. Even if the parent is killed, the kernel then closes this
 * input, so no engine runs longer than Trawl.
 */
export async function runHost(log: CappedLog, start: () => Promise<HostedEngine>): Promise<void> {
  let engine: HostedEngine | undefined;
  let stopping = false;

  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await engine?.stop();
    process.exit(0);
  };
  const fail = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    log.write(`${message}\n`);
    send({ error: message });
    process.exitCode = 1;
    process.stdin.destroy();
  };

  process.stdout.on('error', () => {}); // Standard input ends when the parent is gone.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());
  process.stdin.on('end', () => void stop()).on('error', () => void stop());
  process.stdin.resume();

  try {
    const started = await start();
    if (stopping) {
      await started.stop();
      process.exit(0);
    }
    engine = started;
    send({ ready: true });
    const reason = await engine.exited;
    if (!stopping) fail(new Error(reason));
  } catch (error) {
    fail(error);
  }
}

function send(message: HostMessage): void {
  process.stdout.write(`${MESSAGE_PREFIX}${JSON.stringify(message)}\n`);
}
