import { spawnSync } from 'node:child_process';
import { errnoOf } from './errno.js';

/** A user of this machine under which an engine can run. */
export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** A user id that a worker started as root may give to runs. */
export const RUN_UID = 62_000;

/**
 * Finds the user that PostgreSQL runs as; undefined means the user of this process. PostgreSQL refuses to run as root,
 * and initdb refuses a user id without a name. So root starts PostgreSQL as the user `postgres`, or as `nobody` if
 * there is no user `postgres`.
 *
 * @throws Error when this process is root and the machine has neither user
 */
export function postgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = lookUp('postgres') ?? lookUp('nobody');
  if (!user) {
    throw new Error(
      'PostgreSQL refuses to run as root, and this machine has no user "postgres" or "nobody". ' +
        'Start Trawl as an ordinary user, or set POSTGRES_URL to your own server.',
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
 * Runs a shell script as `user` and returns whether it succeeded; `args` are its `$1`, `$2`, …. To test an access it is
 * better to try it than to read the mode bits, because access control lists, mounts and security modules can also
 * forbid it.
 */
export function succeedsAs(user: { uid: number; gid: number } | undefined, script: string, ...args: string[]): boolean {
  const { status, error } = spawnSync('/bin/sh', ['-c', script, 'sh', ...args], {
    cwd: '/',
    stdio: 'ignore',
    env: { PATH: '/usr/bin:/bin' },
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  // In this container the user id is not mapped. No process can run as this user, so the result does not matter.
  if (error && errnoOf(error) === 'EINVAL') return true;
  return status === 0;
}
