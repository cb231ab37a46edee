import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from '@docusaurus/types';

const COMPRESSIBLE = /\.(html|js|css|svg)$/;
const SMALLEST_BYTES = 1024;
const BROTLI_QUALITY = 9;

/** Writes a `.br` and a `.gz` beside each file of text, so that serving them costs no time. */
export function precompressed(): Plugin {
  return {
    name: 'precompressed',
    async postBuild({ outDir }) {
      const names = await readdir(outDir, { recursive: true });
      await Promise.all(names.filter(name => COMPRESSIBLE.test(name)).map(name => compress(join(outDir, name))));
    },
  };
}

/** For files that another plugin writes, perhaps after this one has looked. */
export async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.byteLength < SMALLEST_BYTES) return;
  const brotli = promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  await Promise.all([writeFile(`${path}.br`, await brotli), writeFile(`${path}.gz`, await promisify(gzip)(content))]);
}
