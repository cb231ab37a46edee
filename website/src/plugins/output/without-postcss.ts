import type { Plugin } from '@docusaurus/types';

/** The part of a rule for the bundler that lists its loaders. */
interface StyleRule {
  use?: { options?: { postcssOptions?: object } }[];
}

/**
 * Removes the loader of PostCSS: it looks for settings in each folder, walks each style sheet once more, and adds fallbacks
 * for browsers that cannot show the site. Lightning CSS adds the prefixes that other browsers need when it minifies the
 * styles.
 */
export function withoutPostCss(): Plugin {
  return {
    name: 'without-postcss',
    configureWebpack({ module }) {
      for (const rule of (module?.rules ?? []) as StyleRule[]) {
        if (Array.isArray(rule.use)) rule.use = rule.use.filter(({ options }) => !options?.postcssOptions);
      }
      return {};
    },
  };
}
