import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';

/** Paths of the platform on the same origin that search engines must not index. */
const NOT_INDEXED = ['/panel/', '/joint-api/', '/apps/', '/www/', '/health/'];

/** Writes robots.txt during the build, because it needs the absolute URL of the sitemap. */
export function robotsTxt({ siteConfig }: LoadContext): Plugin {
  return {
    name: 'robots-txt',
    async postBuild({ outDir }) {
      const lines = [
        'User-agent: *',
        ...NOT_INDEXED.map(path => `Disallow: ${path}`),
        `Sitemap: ${siteConfig.url}/sitemap.xml`,
      ];
      await writeFile(join(outDir, 'robots.txt'), `${lines.join('\n')}\n`);
    },
  };
}
