import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';

const REPOSITORY = resolve(__dirname, '../../..');

/** What pages are made of beside their own text and what they import: remark plugins read it from the disk. */
const SOURCES = [
  'openapi.yaml',
  'examples/skripts',
  'website/content/api-examples.json',
  'website/docs/joint-api',
  'website/samples',
  'website/static/samples',
];

/** Rspack's persistent cache, which Docusaurus switches on and the types of its configuration do not know. */
interface BundlerCache {
  version: string;
  buildDependencies: string[];
}

/**
 * Without it the bundler's cache would show a page as it was before such a file changed, or with the addresses of the
 * build before.
 */
export function pageSources({ siteConfig: { url, customFields } }: LoadContext): Plugin {
  return {
    name: 'page-sources',
    configureWebpack: ({ experiments }) => {
      const cache = (experiments as { cache?: BundlerCache } | undefined)?.cache;
      if (!cache) return {};
      const added: BundlerCache = {
        version: `${cache.version}-${JSON.stringify({ url, customFields })}`,
        buildDependencies: SOURCES.flatMap(source => filesOf(join(REPOSITORY, source))),
      };
      return { experiments: { cache: added } } as object;
    },
  };
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
