import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CappedLog } from '../host/capped-log.js';
import type { HostedEngine } from '../host/run-host.js';
import { commandLineOf, isAlive } from '../system/processes.js';

export interface ServerOptions {
  binDir: string;
  /** PGDATA. */
  folder: string;
  /** Settings on the command line. Nobody can change them in SQL for the server. */
  settings: Record<string, string | number>;
  durable: boolean;
  log: CappedLog;
  /** The user that the server runs as. If it is missing, the server runs as the user of this process. */
  user?: { uid: number; gid: number } | undefined;
  /** For a server that runs statements of users: what each of its processes may have, in bytes of address space. */
  processBytes?: number;
  /** Called with the process id before the server starts further processes. */
  onProcess?: (pid: number) => void;
}

export interface ServerProcess extends HostedEngine {
  pid: number;
}

const COMMON_SETTINGS = {
  // Keep failed statements out of the log, because they contain values of users.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

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
const LAST_WORDS_MS = 500;

/** Starts PostgreSQL. Resolves when it accepts connections. @throws Error with the last words of PostgreSQL */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { binDir, folder, durable, log, user, processBytes } = options;
  const runsStatementsOfUsers = processBytes !== undefined;
  const settings = { ...COMMON_SETTINGS, ...(!durable && TEMPORARY_SETTINGS), ...options.settings };
  const program = join(binDir, 'postgres');
  const args = ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  // PostgreSQL cannot refuse `SET work_mem = '10GB'`. With this limit such a statement fails with "out of memory". Users'
  // statements come after everything else on the machine.
  const limited = `ulimit -v ${Math.floor((processBytes ?? 0) / 1024)} 2>/dev/null; exec nice -n 5 "$0" "$@"`;
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
  if (server.pid !== undefined) options.onProcess?.(server.pid);
  let lastWords = '';
  const exited = new Promise<string>(resolve => {
    server.on('error', error => resolve(`PostgreSQL could not be started: ${error.message}.`));
    const end = () => resolve(`PostgreSQL ended: ${lastWords.trim() || 'it printed nothing'}`);
    server.on('close', end);
    // A process of a killed server may keep the pipe open.
    server.on('exit', () => setTimeout(end, LAST_WORDS_MS));
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
    pid: server.pid ?? 0,
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

/** Returns the process id of the server that runs on a folder; undefined if none does. */
export function serverOn(folder: string): number | undefined {
  const lock = join(folder, 'postmaster.pid');
  if (!existsSync(lock)) return undefined;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  return commandLineOf(pid)?.includes(folder) ? pid : undefined;
}

/**
 * Removes the lock of a server that no longer runs, or stops a server that has lost its host. PostgreSQL's lock file
 * contains a process id. After a crash of the machine, this id may belong to any other process. If only the host was
 * killed, the server still runs.
 * @param isInUse returns whether the process belongs to a host that runs
 */
export async function clearLockOfCrashedServer(folder: string, isInUse: (pid: number) => boolean): Promise<void> {
  const pid = serverOn(folder);
  if (pid === undefined) {
    rmSync(join(folder, 'postmaster.pid'), { force: true });
    return;
  }
  if (isInUse(pid)) return;
  // An immediate shutdown as the second step also ends processes that ignore the first.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    for (let waitedMs = 0; isAlive(pid) && waitedMs < STOP_STEPS_MS; waitedMs += 50) await delay(50);
  }
}
