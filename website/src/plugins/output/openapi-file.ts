import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@docusaurus/types';
import { parseDocument } from 'yaml';
import { OPENAPI_FILE } from '../api-pages/openapi';
import { compress } from './precompressed';

/**
 * Writes the repository's openapi.yaml as /openapi.yaml and /openapi.json with this platform's URL as server, so that
 * generated clients call this platform.
 */
export function openApiFile(platformUrl: string): Plugin {
  return {
    name: 'openapi-file',
    async postBuild({ outDir }) {
      const document = parseDocument(await readFile(OPENAPI_FILE, 'utf8'));
      document.set('servers', document.createNode([{ url: platformUrl }]));
      const files = {
        'openapi.yaml': document.toString({ lineWidth: 120, indentSeq: false, flowCollectionPadding: false }),
        'openapi.json': JSON.stringify(document.toJS()),
      };
      for (const [name, text] of Object.entries(files)) {
        await writeFile(join(outDir, name), text);
        await compress(join(outDir, name));
      }
    },
  };
}
