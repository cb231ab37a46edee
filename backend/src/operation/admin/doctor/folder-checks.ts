import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PREVIOUS_SECRET_FILE, SECRET_FILE } from '../../../platform/common/config.js';
import type { Platform } from '../settings.js';
import { bad, type Finding, info, ok } from './finding.js';

const GIGABYTE = 1e9;
const NEEDED_GB = 1;
const COMFORTABLE_GB = 5;
/** Files that other users must not read. */
const SECRET_FILES = [
  SECRET_FILE,
  PREVIOUS_SECRET_FILE,
  'credentials.json',
  'databases.json',
  'postgres.password',
  'user-postgres.password',
];

/** Checks that the data folder can be written, has room, and hides its secrets from other users. */
export async function checkFolder({ config: { dataDir } }: Platform): Promise<Finding[]> {
  if (!existsSync(dataDir)) return [info(`The data folder ${dataDir} does not exist. The first start creates it.`)];
  return [writable(dataDir), space(dataDir), ...permissions(dataDir)];
}

function writable(dataDir: string): Finding {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(`The data folder ${dataDir} can be read and written.`);
  } catch {
    return bad(
      `This user cannot write the data folder ${dataDir}. Run this command as the user of the backend, or change the owner.`,
    );
  }
}

function space(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(dataDir);
  const freeGb = (bavail * bsize) / GIGABYTE;
  const text = `${freeGb.toFixed(1)} GB are free for the data folder`;
  if (freeGb >= COMFORTABLE_GB) return ok(`${text}.`);
  const advice = 'Free some space, or lower TRAWL_HISTORY_DAYS and TRAWL_EXPORT_MB.';
  return freeGb >= NEEDED_GB ? info(`${text}. ${advice}`) : bad(`Only ${text}. ${advice}`);
}

function permissions(dataDir: string): Finding[] {
  const open = SECRET_FILES.map(name => join(dataDir, name)).filter(
    path => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  );
  if (open.length === 0) return [ok('Other users cannot read the secrets in the data folder.')];
  return [bad(`Other users can read ${open.join(', ')}. Run: chmod 600 ${open.join(' ')}`)];
}
