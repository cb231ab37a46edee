import { spawnSync } from 'node:child_process';
import { errnoOf } from './errno.js';

/** A user of the machine that a process is started as. */
export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** The first of the user ids that a worker started as root gives to runs. */
export const FIRST_RUN_UID = 62_000;

/**
 * Whom PostgreSQL runs as: undefined when it is simply this process's own user. PostgreSQL refuses to run as root, and
 * its initdb refuses a user id without a name, so as root it is the user `postgres` if there is one, else `nobody`.
 */
export function postgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = lookUp('postgres') ?? lookUp('nobody');
  if (!user) {
    throw new Error(
      'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody". ' +
        'Start Trawl as an ordinary user, or set POSTGRES_URL to a server of your own.',
    );
  }
  return user;
}

function lookUp(name: string): SystemUser | undefined {
  const id = (flag: string) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : Number.NaN;
  };
  const uid = id('-u');
  const gid = id('-g');
  return uid > 0 && gid > 0 ? { name, uid, gid } : undefined;
}

/**
 * Runs a line of shell as that user and says whether it succeeded; `args` are its `$1`, `$2`, …. Asking the kernel in
 * this way counts everything that guessing from mode bits forgets: access lists, mounts, security modules.
 */
export function succeedsAs(user: { uid: number; gid: number } | undefined, script: string, ...args: string[]): boolean {
  const { status, error } = spawnSync('/bin/sh', ['-c', script, 'sh', ...args], {
    cwd: '/',
    stdio: 'ignore',
    env: { PATH: '/usr/bin:/bin' },
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  // A container may not have that user id at all; then nothing will ever run under it either.
  if (error && errnoOf(error) === 'EINVAL') return true;
  return status === 0;
}
