import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CappedLog } from './capped-log.js';
import { type HostedEngine, runHost } from './hosted.js';
import { commandLineOf, isAlive, parentOf } from './processes.js';

export interface PostgresHostConfig {
  binDir: string;
  /** PGDATA. */
  folder: string;
  port: number;
  durable: boolean;
  logPath: string;
  /** Whom the server runs as, when not as this process's user. */
  user?: { uid: number; gid: number };
}

const STOP_STEPS_MS = 6_000;

async function startServer(config: PostgresHostConfig, log: CappedLog): Promise<HostedEngine> {
  const { binDir, folder, port, durable, user } = config;
  await clearLockOfCrashedServer(folder);
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    // The log must never hold the values of statements that failed.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const server = spawn(
    join(binDir, 'postgres'),
    ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
    },
  );
  let lastWords = '';
  const exited = new Promise<string>(resolve => {
    server.on('error', error => resolve(`PostgreSQL could not be started: ${error.message}.`));
    server.on('close', () => resolve(`PostgreSQL ended: ${lastWords.trim() || 'it said nothing'}`));
  });

  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      log.write(chunk);
      lastWords = (lastWords + chunk).slice(-1000);
      if (chunk.includes('database system is ready to accept connections')) resolve();
    });
    exited.then(reason => reject(new Error(explain(reason, folder))));
  });

  return {
    exited,
    async stop() {
      // Fast shutdown, then an immediate one (recovery at the next start), then none.
      for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
        server.kill(signal);
        const ended = await Promise.race([exited.then(() => true), delay(STOP_STEPS_MS, false)]);
        if (ended) return;
      }
    },
  };
}

function explain(reason: string, folder: string): string {
  if (!reason.includes('lock file "postmaster.pid" already exists')) return reason;
  return (
    `The database folder ${folder} is in use by another Trawl. ` +
    'Stop that one, or set TRAWL_DATA_DIR to another folder.'
  );
}

/**
 * PostgreSQL's lock names a process id. After a crash of the machine that id may be anyone's, which PostgreSQL cannot
 * tell; and when only our host was killed, the server itself is still there with nobody to end it.
 */
async function clearLockOfCrashedServer(folder: string): Promise<void> {
  const lock = join(folder, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  const commandLine = commandLineOf(pid);
  if (!commandLine?.includes(folder)) {
    rmSync(lock, { force: true });
    return;
  }
  const parent = parentOf(pid);
  if (parent !== undefined && commandLineOf(parent)?.includes('postgres-host')) return; // somebody's, and at work
  process.kill(pid, 'SIGINT');
  for (let waitedMs = 0; isAlive(pid) && waitedMs < 2 * STOP_STEPS_MS; waitedMs += 50) await delay(50);
}

const config = JSON.parse(process.argv[2] ?? '') as PostgresHostConfig;
const log = new CappedLog(config.logPath);
void runHost(log, () => startServer(config, log));
