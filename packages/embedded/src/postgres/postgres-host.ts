import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CappedLog } from '../host/capped-log.js';
import { type HostedEngine, runHost } from '../host/run-host.js';
import { commandLineOf, isAlive, parentOf } from '../system/processes.js';

export interface PostgresHostConfig {
  binDir: string;
  /** PGDATA. */
  folder: string;
  port: number;
  durable: boolean;
  logPath: string;
  /** True for the server that runs statements of users. */
  runsStatementsOfUsers: boolean;
  /** The user that the server runs as. If it is missing, the server runs as the user of this process. */
  user?: { uid: number; gid: number };
}

/**
 * Settings of a server whose data may be lost, and whose databases are small and soon dropped. It writes no log for
 * crashes and replication, and has no processes that work while nothing asks for it.
 */
const TEMPORARY_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '4GB',
  checkpoint_timeout: '1d',
  autovacuum: 'off',
  io_method: 'sync',
};

const STOP_STEPS_MS = 6_000;

/**
 * Address space of one process of the users' server, in KB. PostgreSQL cannot refuse `SET work_mem = '10GB'`; with this
 * limit such a statement fails with "out of memory".
 */
const USER_PROCESS_KB = 1024 * 1024;

/** Users of one server share these resources, so that none of them can take all. */
const USER_SETTINGS = {
  max_locks_per_transaction: 512,
  // The queue of NOTIFY, in pages of 8 KB. All databases share it.
  max_notify_queue_pages: 1024,
  temp_file_limit: '1GB',
  // Each parallel worker of a statement would have the memory and the temporary files of another process.
  max_parallel_workers: 0,
  idle_session_timeout: '10min',
  // A statement of a backend that was killed ends, too.
  client_connection_check_interval: '2s',
};

async function startServer(config: PostgresHostConfig, log: CappedLog): Promise<HostedEngine> {
  const { binDir, folder, port, durable, runsStatementsOfUsers, user } = config;
  await clearLockOfCrashedServer(folder);
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    // Keep failed statements out of the log, because they contain values of users.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...(runsStatementsOfUsers && USER_SETTINGS),
    ...(!durable && TEMPORARY_SETTINGS),
  };
  const program = join(binDir, 'postgres');
  const args = ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const limited = `ulimit -v ${USER_PROCESS_KB} 2>/dev/null; exec "$0" "$@"`;
  const server = spawn(
    runsStatementsOfUsers ? '/bin/sh' : program,
    runsStatementsOfUsers ? ['-c', limited, program, ...args] : args,
    {
      cwd: '/',
      env: {
        PATH: '/usr/bin:/bin',
        LC_ALL: 'C',
        TZ: 'UTC',
        ...(runsStatementsOfUsers && { PG_OOM_ADJUST_FILE: '/proc/self/oom_score_adj', PG_OOM_ADJUST_VALUE: '900' }),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
    },
  );
  let lastWords = '';
  const exited = new Promise<string>(resolve => {
    server.on('error', error => resolve(`PostgreSQL could not be started: ${error.message}.`));
    server.on('close', () => resolve(`PostgreSQL ended: ${lastWords.trim() || 'it printed nothing'}`));
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
      // First try a fast shutdown, then an immediate shutdown (after which the next start needs a recovery), then kill
      // the server.
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
 * Removes the lock of a server that no longer runs, or stops a server that has lost its host. PostgreSQL's lock file
 * contains a process id. After a crash of the machine, this id may belong to any other process. If only the host was
 * killed, the server still runs.
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
  if (parent !== undefined && commandLineOf(parent)?.includes('postgres-host')) return; // A server that is in use.
  process.kill(pid, 'SIGINT');
  for (let waitedMs = 0; isAlive(pid) && waitedMs < 2 * STOP_STEPS_MS; waitedMs += 50) await delay(50);
}

const config = JSON.parse(process.argv[2] ?? '') as PostgresHostConfig;
const log = new CappedLog(config.logPath);
void runHost(log, () => startServer(config, log));
