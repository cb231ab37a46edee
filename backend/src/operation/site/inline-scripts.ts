import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the hashes of the inline scripts that Docusaurus writes into its pages, for the content security policy. */
export async function inlineScriptHashes(dir: string): Promise<string[]> {
  const hashes = new Set<string>();
  for (const name of await readdir(dir, { recursive: true })) {
    if (!name.endsWith('.html')) continue;
    const page = await readFile(join(dir, name), 'utf8');
    for (const [, attributes = '', code = ''] of page.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)) {
      if (/\bsrc=|application\/(ld\+)?json/.test(attributes) || code === '') continue;
      hashes.add(`'sha256-${createHash('sha256').update(code).digest('base64')}'`);
    }
  }
  return [...hashes];
}
