import type { Config } from '@docusaurus/types';
import website from './docusaurus.config';

/** For tests: only the pages that depend on settings. The whole site takes four times as long to build. */
const [[preset, options]] = website.presets as [[string, Record<string, object>]];

export default {
  ...website,
  onBrokenLinks: 'ignore',
  onBrokenAnchors: 'ignore',
  markdown: { hooks: { onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore' } },
  // Those that make pages. The others write more files, such as the search index.
  plugins: website.plugins?.slice(0, 3),
  presets: [
    [
      preset,
      {
        ...options,
        docs: {
          ...options.docs,
          sidebarPath: undefined,
          include: ['joint-api/index.mdx', 'tutorials/develop-skript.mdx'],
        },
        pages: {
          ...options.pages,
          include: [
            ...['index', 'contact', 'faq', 'platform', 'pricing', 'sign-up', 'services/index'].map(
              page => `${page}.tsx`,
            ),
            ...['legal/*', 'services/web-scraping', 'industries/healthcare'].map(page => `${page}.mdx`),
          ],
        },
      },
    ],
  ],
} satisfies Config;
