import type { CappedLog } from './capped-log.js';

/** What a host runs: one database engine. */
export interface HostedEngine {
  /** Ends the engine in good order; must itself become forceful when that takes too long. */
  stop(): Promise<void>;
  /** Settles, with what is known of the reason, when the engine ends. Never, if it lives in the host's own process. */
  exited: Promise<string>;
}

/** What a host says on its standard output, a line each. */
export type HostMessage = { ready: true } | { error: string };

/** Tells our lines from what the engine in the same process may print. */
const MARK = 'trawl-host:';

export function readHostMessage(line: string): HostMessage | undefined {
  return line.startsWith(MARK) ? (JSON.parse(line.slice(MARK.length)) as HostMessage) : undefined;
}

/**
 * The life of a host process: start the engine, say so, and end it when told to or when the parent is gone. The parent
 * holds the other end of standard input; the kernel closes it however the parent dies, so no engine outlives Trawl.
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
    say({ error: message });
    process.exitCode = 1;
    process.stdin.destroy();
  };

  process.stdout.on('error', () => {}); // a parent that is gone no longer listens; standard input tells us so
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
    say({ ready: true });
    const reason = await engine.exited;
    if (!stopping) fail(new Error(reason));
  } catch (error) {
    fail(error);
  }
}

function say(message: HostMessage): void {
  process.stdout.write(`${MARK}${JSON.stringify(message)}\n`);
}
