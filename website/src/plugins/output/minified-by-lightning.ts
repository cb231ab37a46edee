import type { Plugin } from '@docusaurus/types';

/**
 * Removes postcss-preset-env: it walks each style sheet once more, and adds fallbacks for browsers that cannot show the
 * site. Lightning CSS adds the prefixes that other browsers need when it minifies the styles.
 */
export function minifiedByLightning(): Plugin {
  return {
    name: 'minified-by-lightning',
    configurePostCss: options => ({ ...options, plugins: [] }),
  };
}
