import { createApp } from './app.js';
import { ConfigError, loadConfig } from './common/config.js';
import { makeLogger } from './common/logger.js';

/** Something that the person who starts the backend can mend: one line, no stack. */
function giveUp(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = makeLogger(config);
  const app = await createApp(config, logger);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT']);
  await app.listen(config.port, config.host);
  logger.info({ url: await app.getUrl() }, 'backend ready');
  if (config.supervised) {
    // The supervisor holds the other end: when it is gone, however it went, so are we.
    process.stdin.resume().once('end', () => process.kill(process.pid, 'SIGTERM'));
  }
}

main().catch((error: NodeJS.ErrnoException & { port?: number }) => {
  if (error instanceof ConfigError) giveUp(error.message);
  if (error.code === 'EADDRINUSE')
    giveUp(`Port ${error.port} is taken. Stop what uses it, or set PORT to another one.`);
  if (error.code === 'ECONNREFUSED') giveUp(`PostgreSQL cannot be reached: ${error.message}. Check POSTGRES_URL.`);
  giveUp(`The backend could not start: ${error.stack ?? error.message}`);
});
