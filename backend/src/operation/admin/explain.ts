import { ConfigError } from '../../platform/common/config.js';
import { ApiError } from '../../platform/common/errors.js';
import { AdminError } from './admin-error.js';

/** System calls that fail if the address of a server is wrong, or if the server is down. */
const CONNECTING = new Set(['connect', 'getaddrinfo']);
/** SQLSTATE codes with which PostgreSQL refuses a connection: authentication, no such database, limits, startup. */
const CONNECTION_REFUSED = /^(28\w{3}|3D000|53300|57P03)$/;
const MONGODB_AUTHENTICATION_FAILED = 18;

/** `code` is a number in errors of MongoDB. */
type Failure = Error & { code?: string | number; syscall?: string };

/** Returns a sentence for errors that the operator can fix. For all others, the stack says where to look. */
export function explain(error: Failure): string {
  if (error instanceof AdminError || error instanceof ConfigError || error instanceof ApiError) return error.message;
  if (isOfConnection(error)) {
    return `A server cannot be reached, or refuses the connection: ${error.message || error.code}. To see which one and what to do, run: trawl-admin doctor`;
  }
  return `trawl-admin failed: ${error.stack ?? error.message}`;
}

function isOfConnection({ code, syscall, name }: Failure): boolean {
  // The error for a name with several addresses has no `syscall`.
  if (CONNECTING.has(String(syscall)) || code === 'ECONNREFUSED') return true;
  if (name === 'MongoServerSelectionError') return true;
  if (name === 'MongoServerError') return code === MONGODB_AUTHENTICATION_FAILED;
  return CONNECTION_REFUSED.test(String(code));
}
