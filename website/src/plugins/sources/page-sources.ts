import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';

const REPOSITORY = resolve(__dirname, '../../../..');

/** Files that remark plugins read. The bundler does not know that pages depend on them. */
const SOURCES = [
  'openapi.yaml',
  'examples/skripts',
  'website/content/api-examples.json',
  'website/docs/joint-api',
  'website/samples',
  'website/static/samples',
];

/** Settings of Rspack's persistent cache. The types of the configuration do not have them. */
interface BundlerCache {
  version: string;
  buildDependencies: string[];
}

/**
 * Makes the bundler's cache depend on `SOURCES` and on the URLs of the site. Otherwise the cache would return outdated
 * pages.
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
