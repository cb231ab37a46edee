import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const SOCKET_NAME = 'mongodb.sock';

/**
 * The system limits the path of a socket to 108 bytes on Linux and 104 bytes on macOS, including the zero byte at its
 * end.
 */
const MAX_PATH_BYTES = 103;
const LONGEST_NAME_BELOW = '/embedded-mongodb-XXXXXX/mongodb.sock';

/**
 * Returns the folder for MongoDB's socket: in the data folder, or a temporary folder if the path in the data folder is
 * too long.
 */
export function socketDirFor(dataDir: string): string {
  const own = join(dataDir, 'run');
  const fits = Buffer.byteLength(own + LONGEST_NAME_BELOW) <= MAX_PATH_BYTES;
  return fits ? own : mkdtempSync(join(tmpdir(), 'trawl-run-'));
}

/** Returns the address of the MongoDB server whose socket is in `socketDir`. */
export function socketUri(socketDir: string): string {
  return `mongodb://${encodeURIComponent(join(socketDir, SOCKET_NAME))}/?directConnection=true`;
}
