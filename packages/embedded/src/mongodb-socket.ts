import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const SOCKET_NAME = 'mongodb.sock';

/** What a socket's whole path may have: 108 bytes on Linux, 104 on macOS, with the closing zero. */
const MAX_PATH_BYTES = 103;
const LONGEST_NAME_BELOW = '/embedded-mongodb-XXXXXX/mongodb.sock';

/** Folder for MongoDB's socket: in the data folder, or where that has too long a name, a new one among the temporary ones. */
export function socketDirFor(dataDir: string): string {
  const own = join(dataDir, 'run');
  const fits = Buffer.byteLength(own + LONGEST_NAME_BELOW) <= MAX_PATH_BYTES;
  return fits ? own : mkdtempSync(join(tmpdir(), 'trawl-run-'));
}

/** Address of the MongoDB behind the socket in that folder. */
export function socketUri(socketDir: string): string {
  return `mongodb://${encodeURIComponent(join(socketDir, SOCKET_NAME))}/?directConnection=true`;
}
