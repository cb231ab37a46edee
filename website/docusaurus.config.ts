import type { ThemeConfig } from '@docusaurus/preset-classic';
import type { Config } from '@docusaurus/types';
import { offerIndex } from './content/offers';
import {
  ACCOUNT_COLUMN,
  FOOTER_COLUMNS,
  LEGAL_COLUMN,
  type LinkColumn,
  NAVBAR_LINKS,
  SERVICES_LABEL,
  SIGN_UP,
} from './content/site-links';
import { readSiteSettings } from './site-settings';
import { PAGE_TEMPLATE } from './src/page-template';
import { apiPages } from './src/plugins/api-pages/api-pages';
import { buildSteps } from './src/plugins/output/build-steps';
import { builtPages } from './src/plugins/output/built-pages';
import { fontFiles } from './src/plugins/output/font-files';
import { minifiedByLightning } from './src/plugins/output/minified-by-lightning';
import { openApiFile } from './src/plugins/output/openapi-file';
import { robotsTxt } from './src/plugins/output/robots-txt';
import { missingSource, REPOSITORY, sourceArchive } from './src/plugins/output/source-archive';
import { codeFromFile } from './src/plugins/remark/code-from-file';
import { highlightedCode, withoutHighlighter } from './src/plugins/remark/highlighted-code';
import { labelledCells } from './src/plugins/remark/labelled-cells';
import { offerSample } from './src/plugins/remark/offer-sample';
import { placesInCode } from './src/plugins/remark/places-in-code';
import { staticHtml } from './src/plugins/remark/static-html';
import { changelog } from './src/plugins/sources/changelog';
import { indexPages } from './src/plugins/sources/index-pages';
import { offers } from './src/plugins/sources/offers';
import { hasHistory } from './src/plugins/sources/page-dates';

const {
  publicUrl,
  panelUrl,
  apiUrl,
  platformUrl,
  email,
  operator,
  services: hasServices,
  sourceUrl,
  editUrl,
} = readSiteSettings(process.env);
// The panel is a separate app on the same origin. `pathname://` stops Docusaurus from routing and checking the link.
const panelHref = panelUrl.startsWith('/') ? `pathname://${panelUrl}` : panelUrl;

const { services, industries } = offerIndex();
const offerColumns: LinkColumn[] = [...services, { title: 'Industries', links: industries }].map(
  ({ title, links }) => ({ title, links: links.map(({ name, to }) => ({ label: name, to })) }),
);

const signIn = { label: 'Sign In', href: panelHref, target: '_self' };

const themeConfig: ThemeConfig = {
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
        ...(link.to === '/services' && { type: 'custom-services', label: SERVICES_LABEL[hasServices ? 'on' : 'off'] }),
        position: 'left' as const,
      })),
      { type: 'search', position: 'right' },
      // As HTML, because Docusaurus marks a link with a label as opening in a new tab.
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

const inCode = [placesInCode, { platformUrl, sourceUrl, hasArchive: !missingSource(REPOSITORY) }];

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
    // Without this, Docusaurus polyfills CSS layers per file, and Infima's rules override those of the site.
    v4: {
      removeLegacyPostBuildHeadAttribute: true,
      mdx1CompatDisabledByDefault: true,
      useCssCascadeLayers: false,
      fasterByDefault: true,
    },
    faster: {
      // Each thread would load Docusaurus again, which takes more processor time than writing the pages.
      ssgWorkerThreads: false,
      // Writing the cache takes a tenth of the processor time of a build, and most installations build once.
      rspackPersistentCache: false,
    },
  },
  ssrTemplate: PAGE_TEMPLATE,
  onBrokenLinks: 'throw',
  onBrokenAnchors: 'throw',
  onDuplicateRoutes: 'throw',
  markdown: { hooks: { onBrokenMarkdownLinks: 'throw', onBrokenMarkdownImages: 'throw' } },
  customFields: { panelHref, apiUrl, email, operator, services: hasServices },
  clientModules: ['./src/client/scrolled-bar.ts', './src/client/no-prefetch.ts'],
  plugins: [
    withoutHighlighter,
    fontFiles,
    offers,
    indexPages,
    changelog,
    robotsTxt,
    () => openApiFile(platformUrl),
    builtPages,
    sourceArchive,
    minifiedByLightning,
    buildSteps,
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
          beforeDefaultRemarkPlugins: [codeFromFile, inCode, [apiPages, { platformUrl }], highlightedCode],
          remarkPlugins: [labelledCells],
          rehypePlugins: [staticHtml],
        },
        pages: {
          beforeDefaultRemarkPlugins: [codeFromFile, inCode, offerSample, highlightedCode],
          rehypePlugins: [staticHtml],
        },
        blog: false,
        sitemap: { ignorePatterns: ['/404.html'], changefreq: null, priority: null },
        theme: { customCss: ['./src/css/custom.css', './src/css/pages.css', './src/css/api-pages.css'] },
      },
    ],
  ],
  themeConfig,
};

export default config;
