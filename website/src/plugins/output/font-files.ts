import type { Plugin } from '@docusaurus/types';

/** The part of a rule for the bundler that loads files by their address. */
interface FileRule {
  test?: unknown;
  use?: { options?: { limit?: number | false } }[];
}

/** Writes every font as a file. Docusaurus writes small ones into the style sheet, for which each page waits. */
export function fontFiles(): Plugin {
  return {
    name: 'font-files',
    configureWebpack({ module }) {
      const rules = (module?.rules ?? []) as FileRule[];
      const options = rules.find(({ test }) => test instanceof RegExp && test.test('.woff2'))?.use?.[0]?.options;
      if (!options) throw new Error('Docusaurus has no rule for fonts whose limit could be changed.');
      options.limit = false;
      return {};
    },
  };
}
