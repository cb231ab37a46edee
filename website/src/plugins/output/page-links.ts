import { resolve } from 'node:path';
import type { Plugin } from '@docusaurus/types';

/** Replaces Docusaurus's component for links in the pages and in the theme. */
export function pageLinks(): Plugin {
  const alias = { '@docusaurus/Link': resolve(__dirname, '../../components/site/link.tsx') };
  return {
    name: 'page-links',
    configureWebpack: () => ({ resolve: { alias } }),
  };
}
