import type { ThemeConfig } from '@docusaurus/preset-classic';
import type { Config } from '@docusaurus/types';
import { offerIndex } from './content/offers';
import {
  ACCOUNT_COLUMN,
  FOOTER_COLUMNS,
  LEGAL_COLUMN,
  type LinkColumn,
  NAVBAR_LINKS,
  SIGN_UP,
} from './content/site-links';
import { readSiteSettings } from './site-settings';
import { apiPages } from './src/plugins/api-pages/api-pages';
import { codeFromFile } from './src/plugins/code-from-file';
import { highlightedCode, withoutHighlighter } from './src/plugins/highlighted-code';
import { labelledCells } from './src/plugins/labelled-cells';
import { markdownTwins } from './src/plugins/markdown-twins';
import { offerSample } from './src/plugins/offer-sample';
import { offers } from './src/plugins/offers';
import { openApiFile } from './src/plugins/openapi-file';
import { hasHistory } from './src/plugins/page-dates';
import { pageSources } from './src/plugins/page-sources';
import { platformAddress } from './src/plugins/platform-address';
import { precompressed } from './src/plugins/precompressed';
import { robotsTxt } from './src/plugins/robots-txt';
import { searchIndex } from './src/plugins/search-index';

const { publicUrl, panelUrl, apiUrl, platformUrl, email, operator, editUrl } = readSiteSettings(process.env);
// The panel is another app on the same origin: `pathname://` keeps Docusaurus from routing and checking the link.
const panelHref = panelUrl.startsWith('/') ? `pathname://${panelUrl}` : panelUrl;

const { services, industries } = offerIndex();
const offerColumns: LinkColumn[] = [...services, { title: 'Industries', links: industries }].map(
  ({ title, links }) => ({ title, links: links.map(({ name, to }) => ({ label: name, to })) }),
);

const signIn = { label: 'Sign In', href: panelHref, target: '_self' };

const themeConfig: ThemeConfig = {
  image: 'img/open-graph.png',
  metadata: [
    { property: 'og:site_name', content: 'Trawl' },
    { property: 'og:type', content: 'website' },
    { property: 'og:image:width', content: '1200' },
    { property: 'og:image:height', content: '630' },
    { property: 'og:image:alt', content: 'Trawl: write the scraper, watch it run, keep the rows.' },
  ],
  colorMode: { respectPrefersColorScheme: true },
  docs: { sidebar: { hideable: false } },
  navbar: {
    title: 'Trawl',
    items: [
      ...NAVBAR_LINKS.map(link => ({
        ...link,
        ...(link.to === '/services' && { type: 'custom-services' }),
        position: 'left' as const,
      })),
      { type: 'search', position: 'right' },
      // As HTML: to a label Docusaurus adds the mark of links that open in a new tab.
      { html: signIn.label, href: signIn.href, target: signIn.target, position: 'right', className: 'bar-sign-in' },
      { ...SIGN_UP, position: 'right', className: 'bar-sign-up' },
    ],
  },
  footer: {
    links: [
      ...[...FOOTER_COLUMNS, ...offerColumns, LEGAL_COLUMN].map(({ title, links }) => ({
        title,
        items: links,
      })),
      { title: ACCOUNT_COLUMN.title, items: [...ACCOUNT_COLUMN.links, signIn] },
    ],
  },
};

const config: Config = {
  title: 'Trawl',
  tagline: 'Write the scraper. Watch it run. Keep the rows.',
  url: publicUrl,
  baseUrl: '/',
  trailingSlash: false,
  baseUrlIssueBanner: false,
  favicon: 'img/favicon.svg',
  i18n: { defaultLocale: 'en', locales: ['en'] },
  future: {
    // Docusaurus rewrites layers for old browsers file by file, and Infima then outweighs the site's own rules.
    v4: { removeLegacyPostBuildHeadAttribute: true, mdx1CompatDisabledByDefault: true, useCssCascadeLayers: false },
    faster: true,
  },
  onBrokenLinks: 'throw',
  onBrokenAnchors: 'throw',
  onDuplicateRoutes: 'throw',
  markdown: { hooks: { onBrokenMarkdownLinks: 'throw', onBrokenMarkdownImages: 'throw' } },
  customFields: { panelHref, apiUrl, email, operator },
  clientModules: ['./src/client/scrolled-bar.ts'],
  plugins: [
    pageSources,
    withoutHighlighter,
    offers,
    robotsTxt,
    () => openApiFile(platformUrl),
    searchIndex,
    markdownTwins,
    precompressed,
  ],
  presets: [
    [
      'classic',
      {
        docs: {
          routeBasePath: 'docs',
          sidebarPath: './sidebars.ts',
          breadcrumbs: false,
          showLastUpdateTime: hasHistory(),
          editUrl: editUrl ? ({ docPath }: { docPath: string }) => `${editUrl}website/docs/${docPath}` : undefined,
          beforeDefaultRemarkPlugins: [
            codeFromFile,
            [platformAddress, { platformUrl }],
            [apiPages, { platformUrl }],
            highlightedCode,
          ],
          remarkPlugins: [labelledCells],
        },
        pages: { beforeDefaultRemarkPlugins: [codeFromFile, offerSample, highlightedCode] },
        blog: false,
        sitemap: { ignorePatterns: ['/404.html'], changefreq: null, priority: null },
        theme: { customCss: ['./src/css/custom.css', './src/css/api-pages.css'] },
      },
    ],
  ],
  themeConfig,
};

export default config;
