import { setTimeout as delay } from 'node:timers/promises';
import { clearLockOfCrashedServer, type ServerProcess, startServer } from '../postgres/server-process.js';
import { belongsTo, killProcess, processesIn } from '../system/processes.js';
import { groupPrefix, ServerGroup } from '../system/server-group.js';
import type { ClusterOptions } from './cluster-options.js';

/**
 * Settings of an account's server. Few connections and little shared memory, because many servers run on one machine:
 * an idle one needs about 10 MB. Its lock table is as large as the limit of locks of a session needs.
 */
const SETTINGS = {
  listen_addresses: '',
  max_connections: 24,
  shared_buffers: '32MB',
  max_locks_per_transaction: 1024,
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  // The queue of NOTIFY, in pages of 8 KB.
  max_notify_queue_pages: 1024,
  temp_file_limit: '1GB',
  // Each parallel worker of a statement would have the memory and the temporary files of another process.
  max_parallel_workers: 0,
  max_worker_processes: 0,
  max_logical_replication_workers: 0,
  // Files in the folder of the server. All servers share /dev/shm, and none starts while it is full.
  dynamic_shared_memory_type: 'mmap',
  // Processes that only read ahead.
  io_method: 'sync',
  autovacuum_max_workers: 1,
  autovacuum_worker_slots: 1,
  idle_session_timeout: '10min',
  authentication_timeout: '20s',
  // A statement of a backend that was killed ends, too.
  client_connection_check_interval: '2s',
};

const STOP_WAIT_MS = 20_000;

const MB = 1024 * 1024;
/** Address space of one process. */
const PROCESS_BYTES = 1024 * MB;
/** What a process has in it before a statement needs any: programs and shared memory. */
const EMPTY_PROCESS_BYTES = 240 * MB;
const MIN_STATEMENT_BYTES = 200 * MB;
/** Limit of connections of a user's role. */
const SESSIONS_OF_USER = 8;

/** The PostgreSQL server of one account: asleep, or a process. */
export class Cluster {
  /** Connections that the router has open, or is opening. */
  connections = 0;
  /** When the last connection ended. */
  idleSince = performance.now();
  #server: ServerProcess | undefined;
  /** The last start or stop. They happen one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #starting: Promise<void> | undefined;

  constructor(
    readonly name: string,
    readonly folder: string,
    /** Number of its socket file. */
    readonly port: number,
    private readonly options: ClusterOptions,
  ) {}

  get isAwake(): boolean {
    return this.#server !== undefined;
  }

  /** Process id of the server, if it is awake. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  get socketPath(): string {
    return `${this.options.socketDir}/.s.PGSQL.${this.port}`;
  }

  /** Kills the process of a session. The server then ends its other sessions, and recovers. */
  killSession(pid: number): void {
    if (pid !== this.pid && belongsTo(pid, this.folder, this.pid)) killProcess(pid);
  }

  /** Starts the server unless it runs. */
  wake(): Promise<void> {
    if (this.#server) return Promise.resolve();
    this.#starting ??= this.#inTurn(() => this.#start()).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Stops the server if it runs and `mayStop` still says so. */
  sleep(mayStop: () => boolean = () => true): Promise<void> {
    return this.#inTurn(async () => {
      const server = this.#server;
      if (!server || !mayStop()) return;
      this.#server = undefined;
      await Promise.race([server.stop(), delay(STOP_WAIT_MS, undefined, { ref: false })]);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #start(): Promise<void> {
    if (this.#server) return;
    const { binDir, durable, log, user, socketDir, hbaFile, root, memoryBytes } = this.options;
    // The lock of the folder of all servers says that no other host runs.
    await clearLockOfCrashedServer(this.folder, () => false);
    for (const pid of processesIn(this.folder)) killProcess(pid);
    const group = ServerGroup.make(groupPrefix(root), this.name, memoryBytes);
    // Without a limit for all sessions together, each gets less, so that they cannot fill half of a small machine.
    const share = EMPTY_PROCESS_BYTES + Math.max(MIN_STATEMENT_BYTES, (2 * memoryBytes) / SESSIONS_OF_USER);
    const server = await startServer({
      binDir,
      durable,
      log,
      user,
      folder: this.folder,
      processBytes: group ? PROCESS_BYTES : Math.min(PROCESS_BYTES, share),
      onProcess: pid => group?.add(pid),
      settings: {
        ...SETTINGS,
        unix_socket_directories: socketDir,
        unix_socket_permissions: '0700',
        port: this.port,
        hba_file: hbaFile,
      },
    });
    this.#server = server;
    this.idleSince = performance.now();
    void server.exited.then(() => {
      group?.remove();
      if (this.#server !== server) return;
      this.#server = undefined;
      // Processes that compute do not notice that their server is gone, and keep the next one from starting.
      for (const pid of processesIn(this.folder)) killProcess(pid);
      log.write(`The server of ${this.name} ended unexpectedly. It starts again at the next connection.\n`);
    });
  }
}
