import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@docusaurus/types';

/** A page that the 404 page may suggest. */
export interface ListedPage {
  to: string;
  title: string;
}

/** Name of the list. It is much smaller than the search index. */
const FILE = 'pages.json';

/** Writes the route and title of every page. The 404 page loads the list. */
export function pageList(): Plugin {
  return {
    name: 'page-list',
    async postBuild({ outDir, routesPaths }) {
      const routes = routesPaths.filter(route => !route.endsWith('404.html'));
      const pages = await Promise.all(
        routes.map(async (to): Promise<ListedPage> => {
          const html = await readFile(join(outDir, to === '/' ? 'index.html' : `${to}.html`), 'utf8');
          const [, title = to] = /<title[^>]*>([^<]*?)(?: \| Trawl)?<\/title>/.exec(html) ?? [];
          return { to, title: title.replace(/&#x27;/g, '’').replace(/&amp;/g, '&') };
        }),
      );
      await writeFile(join(outDir, FILE), JSON.stringify(pages));
    },
  };
}
