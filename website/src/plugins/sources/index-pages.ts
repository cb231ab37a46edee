import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from '@docusaurus/types';
import matter from 'gray-matter';
import { DOCS_SECTIONS } from '../../../content/docs-sections';
import { offerIndex } from '../../../content/offers';
import { INDEX_WORDS } from '../../../content/pages/index-pages';

const WEBSITE = join(__dirname, '../../..');

/** A page that lists the pages below its address. */
export interface IndexOfPages {
  path: string;
  title: string;
  text: string;
  links: { label: string; text: string; to: string }[];
}

/** Makes a page for each folder of pages that has none of its own, so that its address is not a 404. */
export function indexPages(): Plugin {
  return {
    name: 'index-pages',
    async contentLoaded({ actions: { addRoute, createData } }) {
      for (const page of listIndexes()) {
        const data = await createData(`${page.path.slice(1).replaceAll('/', '-')}.json`, JSON.stringify(page));
        addRoute({
          path: page.path,
          component: '@site/src/components/index-page/index-page.tsx',
          modules: { page: data },
          exact: true,
        });
      }
    },
  };
}

let paths: string[] | undefined;

/** Addresses of the index pages. Reads the pages at the first call. */
export const indexPaths = (): string[] => {
  paths ??= listIndexes().map(({ path }) => path);
  return paths;
};

export function listIndexes(): IndexOfPages[] {
  const docs = DOCS_SECTIONS.filter(({ start, folder }) => start !== `/docs/${folder}`).map(
    ({ folder, title, text }) => ({
      path: `/docs/${folder}`,
      title,
      text,
      links: pagesIn(`docs/${folder}`, `/docs/${folder}`),
    }),
  );
  const industries = offerIndex().industries.map(({ name, summary, to }) => ({ label: name, text: summary, to }));
  return [
    ...docs,
    { path: '/industries', ...INDEX_WORDS.industries, links: industries },
    { path: '/legal', ...INDEX_WORDS.legal, links: pagesIn('src/pages/legal', '/legal') },
  ];
}

function pagesIn(folder: string, route: string): IndexOfPages['links'] {
  return readdirSync(join(WEBSITE, folder))
    .filter(name => name.endsWith('.mdx'))
    .map(name => {
      const { data } = matter(readFileSync(join(WEBSITE, folder, name), 'utf8'));
      return {
        label: String(data.sidebar_label ?? data.title),
        text: String(data.description),
        to: `${route}/${name.replace(/\.mdx$/, '')}`,
        position: Number(data.sidebar_position ?? 0),
      };
    })
    .sort((one, other) => one.position - other.position || one.to.localeCompare(other.to))
    .map(({ position: _, ...link }) => link);
}
