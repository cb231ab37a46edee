import type { Plugin } from '@docusaurus/types';

const STEPS = ['reading the pages', 'bundling the scripts', 'writing the pages', 'compressing and indexing'];

/** Docusaurus bundles the scripts twice: for browsers, and to write the pages. */
const BUNDLES = 2;

/** Prints each step of the build when it begins. `npm start` shows them in the terminal and to visitors. */
export function buildSteps(): Plugin {
  let step = 0;
  let bundled = 0;
  const begin = (next: number): void => {
    if (next <= step) return;
    step = next;
    console.log(`Step ${step} of ${STEPS.length}: ${STEPS[step - 1]}`);
  };
  return {
    name: 'build-steps',
    loadContent: () => begin(1),
    configureWebpack() {
      begin(2);
      const plugin = {
        apply: (compiler: { hooks: { done: { tap(name: string, done: () => void): void } } }) =>
          compiler.hooks.done.tap('build-steps', () => {
            bundled += 1;
            if (bundled === BUNDLES) begin(3);
          }),
      };
      return { plugins: [plugin] };
    },
    async postBuild() {
      begin(4);
    },
  };
}
