import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';

/** Writes robots.txt, which must name the sitemap by its whole address and so depends on where the site is served. */
export function robotsTxt({ siteConfig }: LoadContext): Plugin {
  return {
    name: 'robots-txt',
    async postBuild({ outDir }) {
      const lines = [
        'User-agent: *',
        'Disallow: /panel/',
        'Disallow: /joint-api/',
        `Sitemap: ${siteConfig.url}/sitemap.xml`,
      ];
      await writeFile(join(outDir, 'robots.txt'), `${lines.join('\n')}\n`);
    },
  };
}
