import { fileURLToPath } from 'node:url';

/** The built program of a host: Node runs it as it is, so it is never the source, even when this file is. */
export function hostPath(name: 'postgres-host' | 'mongod-host' | 'mongodb-engine-host'): string {
  return fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));
}
