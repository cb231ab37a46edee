import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { Readiness } from './operation/health/readiness.service.js';
import { ConfigError, loadConfig } from './platform/common/config.js';
import { makeLogger } from './platform/common/logger.js';
import { preferThisSession } from './platform/common/processor-priority.js';
import { TRAWL_VERSION } from './version.js';

/** Prints one line without a stack and exits. Use it for errors that the operator can fix. */
function exitWith(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Lets load balancers notice that this backend stops, then closes it. */
async function stop(app: NestExpressApplication, drainMs: number, stopTracing?: () => Promise<void>): Promise<void> {
  app.get(Readiness, { strict: false }).stop();
  await delay(drainMs);
  await app.close();
  await stopTracing?.();
  process.exit(0);
}

/** Loads OpenTelemetry only here, because it costs memory and time at the start. */
async function startTracing(logger: Logger): Promise<() => Promise<void>> {
  const tracing = await import('@trawl/tracing/start-tracing');
  return tracing.startTracing({
    service: 'trawl-backend',
    version: TRAWL_VERSION,
    onProblem: reason => logger.warn({ reason }, 'sending traces failed'),
  });
}

/**
 * Returns the settings. With `POSTGRES_URL=stdin`, the supervisor starts this process before the databases, so that it
 * loads its code meanwhile. When they run, the supervisor writes their addresses to standard input, as a line of JSON.
 */
async function settings(): Promise<NodeJS.ProcessEnv> {
  if (process.env.POSTGRES_URL !== 'stdin') return process.env;
  const lines = createInterface({ input: process.stdin });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  if (line === undefined) process.exit(0); // The supervisor is gone.
  lines.close();
  return { ...process.env, ...JSON.parse(line) };
}

async function main(): Promise<void> {
  const config = loadConfig(await settings());
  const logger = makeLogger(config);
  const stopTracing = config.tracing ? await startTracing(logger) : undefined;
  const app = await createApp(config, logger);
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      stop(app, config.drainMs, stopTracing).catch(error =>
        exitWith(`The backend failed to stop: ${error.stack ?? error.message}`),
      );
    });
  }
  await app.listen(config.port, config.host);
  logger.info({ url: await app.getUrl() }, 'backend ready');
  // From now on, the memory may double between two full garbage collections. V8 would allow it to grow by less, and while
  // an account reads large values, calls of all accounts would wait for a collection of up to 30 ms twice a second.
  setFlagsFromString('--heap-growing-percent=100');
  if (config.supervised) {
    // The supervisor gave the backend a session of its own.
    preferThisSession();
    // The supervisor holds the other end of stdin. When it exits or crashes, stdin closes and the backend stops.
    process.stdin.resume().once('end', () => {
      // If the supervisor also read the log, this line shows pino that its pipe is broken. Otherwise pino repeats a line
      // that is logged immediately before the exit for ever, and the process does not end.
      logger.info('the supervisor is gone');
      process.kill(process.pid, 'SIGTERM');
    });
  }
}

main().catch((error: NodeJS.ErrnoException & { port?: number }) => {
  if (error instanceof ConfigError) exitWith(error.message);
  if (error.code === 'EADDRINUSE')
    exitWith(`Port ${error.port} is already in use. Stop the program that uses it, or set PORT to another port.`);
  if (error.code === 'ECONNREFUSED') exitWith(`Cannot connect to PostgreSQL: ${error.message}. Check POSTGRES_URL.`);
  exitWith(`The backend failed to start: ${error.stack ?? error.message}`);
});
