import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Root } from 'mdast';
import { visit } from 'unist-util-visit';

const REPOSITORY = resolve(__dirname, '../../..');

/**
 * Fills a code block that names a file with that file's text, so that code on a page is the code that tests run:
 *
 *     ```js file=examples/skripts/some-skript/main.js
 *     ```
 *
 * The path counts from the repository's root.
 */
export function codeFromFile() {
  return (tree: Root): void =>
    visit(tree, 'code', node => {
      const path = /(?:^|\s)file=(\S+)/.exec(node.meta ?? '')?.[1];
      if (path) node.value = readFileSync(resolve(REPOSITORY, path), 'utf8').trimEnd();
    });
}
