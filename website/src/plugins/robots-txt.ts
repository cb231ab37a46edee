import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';

/** What the platform answers at the same origin that is no page to find. */
const NOT_PAGES = ['/panel/', '/joint-api/', '/apps/', '/www/', '/health/'];

/** Writes robots.txt, which must name the sitemap by its whole address and so depends on where the site is served. */
export function robotsTxt({ siteConfig }: LoadContext): Plugin {
  return {
    name: 'robots-txt',
    async postBuild({ outDir }) {
      const lines = [
        'User-agent: *',
        ...NOT_PAGES.map(path => `Disallow: ${path}`),
        `Sitemap: ${siteConfig.url}/sitemap.xml`,
      ];
      await writeFile(join(outDir, 'robots.txt'), `${lines.join('\n')}\n`);
    },
  };
}
