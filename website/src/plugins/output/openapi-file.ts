import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@docusaurus/types';
import { api, OPENAPI_FILE } from '../api-pages/openapi';

const SERVERS = /^servers:\n(?:[- ].*\n)+/m;

/**
 * Writes the repository's openapi.yaml as /openapi.yaml and /openapi.json with this platform's URL as server, so that
 * generated clients call this platform.
 */
export function openApiFile(platformUrl: string): Plugin {
  return {
    name: 'openapi-file',
    async postBuild({ outDir }) {
      const yaml = await readFile(OPENAPI_FILE, 'utf8');
      if (!SERVERS.test(yaml)) throw new Error('openapi.yaml has no list of servers to replace.');
      await writeFile(
        join(outDir, 'openapi.yaml'),
        yaml.replace(SERVERS, () => `servers:\n- url: ${platformUrl}\n`),
      );
      const document = { ...api().document, servers: [{ url: platformUrl }] };
      await writeFile(join(outDir, 'openapi.json'), JSON.stringify(document));
    },
  };
}
