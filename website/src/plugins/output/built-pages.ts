import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { type CheerioAPI, load } from 'cheerio';
import { contents, hasMarkdown, type MarkdownPage, markdownPage } from './markdown-pages';
import { isSearched, namesInMenus, type SearchEntry, searchEntries } from './search-index';

/** A page that the 404 page may suggest. */
export interface ListedPage {
  to: string;
  title: string;
}

const CODE = /(?<=<pre[^>]*><code[^>]*>).*?(?=<\/code>)/gs;

/** Parses a page without the highlighting of code, a third of all elements. Only the text of code is used. */
export const parsePage = (html: string): CheerioAPI => load(html.replace(CODE, code => code.replace(/<[^>]*>/g, '')));

/**
 * Reads each page once and writes what is made of their texts: the list of pages, which the 404 page loads; the search
 * index, which the search dialog loads; a Markdown file beside each docs page; and llms.txt.
 */
export function builtPages({ siteConfig }: LoadContext): Plugin {
  return {
    name: 'built-pages',
    async postBuild({ outDir, routesPaths }) {
      const names = namesInMenus();
      const listed: ListedPage[] = [];
      const entries: SearchEntry[] = [];
      const documents: MarkdownPage[] = [];
      for (const route of routesPaths.filter(path => !path.endsWith('404.html'))) {
        const file = join(outDir, route === '/' ? 'index.html' : `${route}.html`);
        const $ = parsePage(await readFile(file, 'utf8'));
        const title = $('title').first().text();
        listed.push({ to: route, title: title.replace(/ \| Trawl$/, '').replaceAll("'", '’') });
        if (hasMarkdown(route)) documents.push(markdownPage(route, $, siteConfig.url));
        if (isSearched(route)) entries.push(...searchEntries(route, $, names.get(route)));
      }
      const write = (name: string, text: string) => writeFile(join(outDir, name), text);
      await Promise.all([
        write('pages.json', JSON.stringify(listed)),
        write('search-index.json', JSON.stringify(entries)),
        write('llms.txt', contents(documents, siteConfig.url)),
        ...documents.map(({ route, text }) => write(`${route}.md`, text)),
      ]);
    },
  };
}
