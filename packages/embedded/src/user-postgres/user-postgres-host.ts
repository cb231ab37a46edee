import { readFileSync } from 'node:fs';
import { CappedLog } from '../host/capped-log.js';
import { runHost } from '../host/run-host.js';
import { startServersOfUsers, type UserPostgresOptions } from './user-postgres.js';

/** For `npm start`: the servers of accounts stop when the parent is gone. */
export type UserPostgresHostConfig = Omit<UserPostgresOptions, 'log' | 'password'> & {
  logPath: string;
  passwordFile: string;
};

const config = JSON.parse(process.argv[2] ?? '') as UserPostgresHostConfig;
const log = new CappedLog(config.logPath);
void runHost(log, () =>
  startServersOfUsers({ ...config, log, password: readFileSync(config.passwordFile, 'utf8').trim() }),
);
