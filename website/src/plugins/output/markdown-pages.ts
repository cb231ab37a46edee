import { gfm } from '@joplin/turndown-plugin-gfm';
import type { CheerioAPI } from 'cheerio';
import TurndownService from 'turndown';
import { DOCS_SECTIONS } from '../../../content/docs-sections';
import { indexPaths } from '../sources/index-pages';

/** A docs page as Markdown, for AI tools and other programs. */
export interface MarkdownPage {
  route: string;
  title: string;
  description: string;
  text: string;
}

export const hasMarkdown = (route: string): boolean => route.startsWith('/docs/') && !indexPaths().includes(route);

export function markdownPage(route: string, $: CheerioAPI, origin: string): MarkdownPage {
  return {
    route,
    title: $('h1').first().text(),
    description: $('meta[name="description"]').attr('content') ?? '',
    text: toMarkdown($, origin + route),
  };
}

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
turndown.use(gfm);
turndown.remove(['button', 'style']);

/** Converts the text of a page to Markdown with absolute links. It leaves the page as it is. */
export function toMarkdown($: CheerioAPI, address: string): string {
  const text = $('.theme-doc-markdown').clone();
  text.find('.hash-link, [role=tablist], .api-operation > summary, img').remove();
  text.find('a[href]').each((_, link) => {
    link.attribs.href = new URL(link.attribs.href as string, address).href;
  });
  text.find('summary').replaceWith((_, summary) => `<p>${$(summary).text()}</p>`);
  return `${turndown.turndown($.html(text))}\n`;
}

/** Returns llms.txt, which lists the Markdown files. */
export function contents(allPages: MarkdownPage[], origin: string): string {
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
