import { npmRegistry } from '@trawl/libraries';

/** Settings of backends and workers that install libraries from the npm registry. */
export async function registrySettings(): Promise<Record<string, string>> {
  const chosen = await npmRegistry(undefined);
  // A proxy before the registry may have a certificate of its own.
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return {
    ...(chosen !== null && { TRAWL_NPM_REGISTRY: chosen }),
    ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
  };
}
