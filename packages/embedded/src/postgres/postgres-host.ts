import { CappedLog } from '../host/capped-log.js';
import { runHost } from '../host/run-host.js';
import { commandLineOf, parentOf } from '../system/processes.js';
import { clearLockOfCrashedServer, startServer } from './server-process.js';

export interface PostgresHostConfig {
  binDir: string;
  /** PGDATA. */
  folder: string;
  port: number;
  durable: boolean;
  logPath: string;
  /** The user that the server runs as. If it is missing, the server runs as the user of this process. */
  user?: { uid: number; gid: number };
}

const config = JSON.parse(process.argv[2] ?? '') as PostgresHostConfig;
const log = new CappedLog(config.logPath);
void runHost(log, async () => {
  await clearLockOfCrashedServer(config.folder, hasHost);
  return startServer({
    ...config,
    log,
    settings: {
      listen_addresses: '127.0.0.1',
      port: config.port,
      unix_socket_directories: '',
      max_connections: 200,
    },
  });
});

function hasHost(pid: number): boolean {
  const parent = parentOf(pid);
  return parent !== undefined && commandLineOf(parent)?.includes('postgres-host') === true;
}
