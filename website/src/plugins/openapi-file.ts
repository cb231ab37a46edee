import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@docusaurus/types';
import { parseDocument } from 'yaml';
import { OPENAPI_FILE } from './api-pages/openapi';
import { compress } from './precompressed';

/**
 * Serves openapi.yaml, which stands at the repository's root, as /openapi.yaml and /openapi.json, with the address of this
 * platform, so that a client that is generated from it calls this one.
 */
export function openApiFile(platformUrl: string): Plugin {
  return {
    name: 'openapi-file',
    async postBuild({ outDir }) {
      const document = parseDocument(await readFile(OPENAPI_FILE, 'utf8'));
      document.set('servers', document.createNode([{ url: platformUrl }]));
      const files = {
        'openapi.yaml': document.toString({ lineWidth: 120 }),
        'openapi.json': JSON.stringify(document.toJS(), null, 2),
      };
      for (const [name, text] of Object.entries(files)) {
        await writeFile(join(outDir, name), text);
        await compress(join(outDir, name));
      }
    },
  };
}
