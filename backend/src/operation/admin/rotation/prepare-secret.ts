import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PREVIOUS_SECRET_FILE, readStoredSecret, SECRET_FILE } from '../../../platform/common/config.js';
import { AdminError } from '../admin-error.js';
import { findDataDir, readEnvironment } from '../settings.js';
import { print } from '../terminal.js';

const BYTES = 32;

/**
 * Generates the new secret. If the secret is a setting, prints both settings. If it is a file in the data folder, writes
 * both files; a kill between the two steps leaves the same secret in both, and the next call continues.
 */
export function prepareSecret(): void {
  const env = readEnvironment();
  const next = randomBytes(BYTES).toString('base64url');
  if (env.TRAWL_SECRET !== undefined) {
    print('Set these for all backends, and restart them one after the other. Then run: trawl-admin rotate-secret\n');
    print(`TRAWL_SECRET=${next}`);
    print('TRAWL_SECRET_PREVIOUS=(the value that TRAWL_SECRET has now)');
    return;
  }
  const dataDir = findDataDir(env);
  const current = readStoredSecret(dataDir);
  if (current === undefined)
    throw new AdminError(`${join(dataDir, SECRET_FILE)} does not exist. Start the platform once.`);
  const previous = readStoredSecret(dataDir, PREVIOUS_SECRET_FILE);
  if (previous !== undefined && previous !== current) {
    throw new AdminError(
      `${join(dataDir, PREVIOUS_SECRET_FILE)} exists: a rotation is in progress. Finish it with trawl-admin rotate-secret, then delete the file.`,
    );
  }
  replaceFile(join(dataDir, PREVIOUS_SECRET_FILE), current);
  replaceFile(join(dataDir, SECRET_FILE), next);
  print(
    `The new secret is in ${join(dataDir, SECRET_FILE)}, and the one before it in ${PREVIOUS_SECRET_FILE} beside it.`,
  );
  print('Restart the platform. Then run: trawl-admin rotate-secret');
}

/** The file has its whole old or its whole new content, even if this process is killed. */
function replaceFile(path: string, secret: string): void {
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}
