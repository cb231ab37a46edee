import { fileURLToPath } from 'node:url';

type HostProgram =
  | 'postgres/postgres-host'
  | 'user-postgres/user-postgres-host'
  | 'mongodb/mongod-host'
  | 'mongodb/mongodb-engine-host';

/**
 * Returns the path of a host's compiled program. Even if a test loads this file from `src`, it is the path in `dist`,
 * because Node can run only compiled code.
 */
export function hostPath(program: HostProgram): string {
  return fileURLToPath(new URL(`../../dist/${program}.js`, import.meta.url));
}
