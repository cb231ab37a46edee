import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { micromark } from 'micromark';

const CHANGELOG = resolve(__dirname, '../../../../CHANGELOG.md');
/** Route of the page, and name of its feed. */
export const CHANGELOG_ROUTE = '/changelog';
export const FEED = 'changelog.xml';

export interface Release {
  /** Id of its heading. */
  anchor: string;
  version: string;
  /** Day of the release as YYYY-MM-DD, if it has one. */
  date: string | null;
  html: string;
}

/** Makes the page of CHANGELOG.md, and an RSS feed with an entry for each version. */
export function changelog({ siteConfig: { url } }: LoadContext): Plugin {
  const read = async () => readReleases(await readFile(CHANGELOG, 'utf8'));
  return {
    name: 'changelog',
    async contentLoaded({ actions: { addRoute, createData } }) {
      const releases = await createData('changelog.json', JSON.stringify(await read()));
      addRoute({
        path: CHANGELOG_ROUTE,
        component: '@site/src/components/changelog/changelog-page.tsx',
        modules: { releases },
        exact: true,
      });
    },
    getPathsToWatch: () => [CHANGELOG],
    async postBuild({ outDir }) {
      await writeFile(join(outDir, FEED), feedOf(await read(), url));
    },
  };
}

/** Splits the file at its headings, such as "## 0.2.0 – 2026-11-25". */
export function readReleases(markdown: string): Release[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map(section => {
      const [heading = '', ...lines] = section.split('\n');
      const [version = '', date = null] = heading.trim().split(/\s+–\s+/);
      return {
        anchor: `v${version.replace(/[^\w.]+/g, '-')}`,
        version,
        date,
        html: micromark(lines.join('\n').trim()),
      };
    });
}

export function feedOf(releases: Release[], url: string): string {
  const page = url + CHANGELOG_ROUTE;
  const items = releases.map(({ anchor, version, date, html }) => {
    const link = `${page}#${anchor}`;
    const day = date ? `<pubDate>${new Date(date).toUTCString()}</pubDate>` : '';
    return `<item><title>Trawl ${escaped(version)}</title><link>${link}</link><guid>${link}</guid>${day}<description>${escaped(html)}</description></item>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Changes of Trawl</title><link>${page}</link><description>What each version of Trawl changes.</description>
${items.join('\n')}
</channel></rss>
`;
}

const escaped = (text: string): string => text.replace(/[&<>]/g, character => `&#${character.charCodeAt(0)};`);
