import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CappedLog } from '../host/capped-log.js';
import { type HostedEngine, runHost } from '../host/run-host.js';
import { SOCKET_NAME } from './mongodb-socket.js';

export interface MongodHostConfig {
  folder: string;
  /** Folder for the server's socket, which only this user can open. */
  socketDir: string;
  logPath: string;
  /** Memory that the server may allocate. */
  dataBytes: number;
}

const STOP_DEADLINE_MS = 10_000;
const POLL_MS = 25;
/** The server's default cache is half of the machine's memory, which is more than it may allocate. */
const CACHE_SHARE = 1 / 3;

async function startServer({ folder, socketDir, dataBytes }: MongodHostConfig, log: CappedLog): Promise<HostedEngine> {
  mkdirSync(socketDir, { recursive: true, mode: 0o700 });
  const socket = join(socketDir, SOCKET_NAME);
  // The server asks for no password, so it must not listen on a port that every user of this machine can reach.
  const args = ['--dbpath', folder, '--bind_ip', socket, '--filePermissions', '0700', '--quiet'];
  // The server also creates a second socket, named after its default port. Without this argument, that socket would be
  // in a folder that all users can enter.
  args.push('--unixSocketPrefix', socketDir);
  args.push('--wiredTigerCacheSizeGB', ((dataBytes * CACHE_SHARE) / 1024 ** 3).toFixed(2));
  const server = spawn('mongod', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let lastWords = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log.write(chunk);
      lastWords = (lastWords + chunk).slice(-500);
    });
  }
  let ended = false;
  const exited = new Promise<string>(resolve => {
    server.on('error', error => resolve(`mongod could not be started: ${error.message}.`));
    server.on('close', () => resolve(`mongod ended: ${lastWords.trim()}`));
  });
  void exited.then(() => (ended = true));
  while (!ended && !(await accepts(socket))) await delay(POLL_MS);
  if (ended) throw new Error(await exited);

  return {
    exited,
    async stop() {
      server.kill('SIGTERM');
      if (!(await Promise.race([exited.then(() => true), delay(STOP_DEADLINE_MS, false)]))) server.kill('SIGKILL');
      await exited;
      rmSync(socketDir, { recursive: true, force: true });
    },
  };
}

function accepts(socket: string): Promise<boolean> {
  return new Promise(resolve => {
    const connection = createConnection(socket)
      .on('connect', () => {
        connection.destroy();
        resolve(true);
      })
      .on('error', () => resolve(false));
  });
}

const config = JSON.parse(process.argv[2] ?? '') as MongodHostConfig;
const log = new CappedLog(config.logPath);
void runHost(log, () => startServer(config, log));
