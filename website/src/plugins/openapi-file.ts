import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@docusaurus/types';
import { OPENAPI_FILE } from './api-pages/openapi';
import { compress } from './precompressed';

/** Serves openapi.yaml, which stands at the repository's root, as /openapi.yaml. */
export function openApiFile(): Plugin {
  return {
    name: 'openapi-file',
    async postBuild({ outDir }) {
      const served = join(outDir, 'openapi.yaml');
      await copyFile(OPENAPI_FILE, served);
      await compress(served);
    },
  };
}
