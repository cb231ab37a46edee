import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SystemUser } from '../system/engine-user.js';
import { syncFolder } from '../system/folders.js';

/** Name of the superuser of all servers. */
export const SUPERUSER = 'trawl';

/** Runs initdb in a temporary folder and renames it, so that `folder` is always complete. */
export async function initDatabase(options: {
  folder: string;
  binDir: string;
  user: Pick<SystemUser, 'uid' | 'gid'> | undefined;
  /** Password of the superuser. */
  password: string;
  durable: boolean;
  /** Further arguments of initdb. */
  more?: string[];
}): Promise<void> {
  const { binDir, user, password, durable, more = [] } = options;
  const workDir = `${options.folder}.new`;
  const folder = join(workDir, 'data');
  const passwordForInitdb = join(workDir, 'password');
  rmSync(workDir, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(passwordForInitdb, `${password}\n`, { mode: 0o600 });
  if (user) for (const path of [workDir, folder, passwordForInitdb]) chownSync(path, user.uid, user.gid);

  const initdb = spawn(
    join(binDir, 'initdb'),
    [
      `--pgdata=${folder}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordForInitdb}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      // It would wait for the disk once for each of 1,000 files.
      '--no-sync',
      ...more,
    ],
    {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(user && { uid: user.uid, gid: user.gid }),
    },
  );
  let output = '';
  for (const stream of [initdb.stdout, initdb.stderr]) stream.on('data', chunk => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    initdb.on('error', reject).on('close', resolve);
  });
  if (code !== 0) throw new Error(`PostgreSQL's initdb failed in ${folder}: ${output.trim().slice(-2000)}`);
  if (durable) await syncFolder(folder);
  renameSync(folder, options.folder);
  rmSync(workDir, { recursive: true });
}
