import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from '@docusaurus/types';

const COMPRESSIBLE = /\.(html|js|css|svg)$/;
const MIN_BYTES = 1024;
/** With 9, the files are 0.4 % smaller, and take six times as long. */
const BROTLI_QUALITY = 8;

/** Compresses text files to `.br` and `.gz` during the build, so that the server does not have to. */
export function precompressed(): Plugin {
  return {
    name: 'precompressed',
    async postBuild({ outDir }) {
      const names = await readdir(outDir, { recursive: true });
      await Promise.all(names.filter(name => COMPRESSIBLE.test(name)).map(name => compress(join(outDir, name))));
    },
  };
}

/** Compresses one file. Plugins that write a file in `postBuild` call it, because this plugin may have run before. */
export async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.byteLength < MIN_BYTES) return;
  const brotli = promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  await Promise.all([writeFile(`${path}.br`, await brotli), writeFile(`${path}.gz`, await promisify(gzip)(content))]);
}
