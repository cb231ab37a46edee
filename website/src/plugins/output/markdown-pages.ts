import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { gfm } from '@joplin/turndown-plugin-gfm';
import { load } from 'cheerio';
import TurndownService from 'turndown';
import { DOCS_SECTIONS } from '../../../content/docs-sections';
import { listIndexes } from '../sources/index-pages';

interface MarkdownPage {
  route: string;
  title: string;
  description: string;
}

/**
 * Writes each docs page as a Markdown file next to it, and llms.txt, which lists these files, for AI tools and other
 * programs.
 */
export function markdownPages({ siteConfig }: LoadContext): Plugin {
  return {
    name: 'markdown-pages',
    async postBuild({ outDir, routesPaths }) {
      const indexes = listIndexes().map(({ path }) => path);
      const routes = routesPaths.filter(route => route.startsWith('/docs/') && !indexes.includes(route));
      const pages = await Promise.all(routes.map(route => writeMarkdown(outDir, route, siteConfig.url)));
      await writeFile(join(outDir, 'llms.txt'), contents(pages, siteConfig.url));
    },
  };
}

async function writeMarkdown(outDir: string, route: string, origin: string): Promise<MarkdownPage> {
  const $ = load(await readFile(join(outDir, `${route}.html`), 'utf8'));
  const address = origin + route;
  await writeFile(join(outDir, `${route}.md`), toMarkdown($.html('.theme-doc-markdown'), address));
  return {
    route,
    title: $('h1').first().text(),
    description: $('meta[name="description"]').attr('content') ?? '',
  };
}

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
turndown.use(gfm);
turndown.remove(['button', 'style']);

/** Converts the text of a page to Markdown with absolute links. */
export function toMarkdown(html: string, address: string): string {
  const $ = load(html, null, false);
  $('.hash-link, [role=tablist], .api-operation > summary, img').remove();
  $('a[href]').each((_, link) => {
    $(link).attr('href', new URL($(link).attr('href') as string, address).href);
  });
  $('summary').replaceWith((_, summary) => `<p>${$(summary).text()}</p>`);
  return `${turndown.turndown($.html())}\n`;
}

function contents(allPages: MarkdownPage[], origin: string): string {
  const line = (page: MarkdownPage): string => `- [${page.title}](${origin}${page.route}.md): ${page.description}`;
  const sections = DOCS_SECTIONS.map(({ title, folder, text }) => {
    const pages = allPages.filter(({ route }) => route === `/docs/${folder}` || route.startsWith(`/docs/${folder}/`));
    const lines = pages.map(line);
    return [`## ${title}`, '', text, '', ...lines].join('\n');
  });
  return `${[
    '# Trawl',
    '> A self-hosted platform for web scraping, data mining and browser automation.',
    ...allPages.filter(({ route }) => route === '/docs/install').map(line),
    ...sections,
    `## API\n\n- [openapi.yaml](${origin}/openapi.yaml): every route of the Joint API`,
  ].join('\n\n')}\n`;
}
