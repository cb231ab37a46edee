import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Root } from 'mdast';
import { visit } from 'unist-util-visit';

const REPOSITORY = resolve(__dirname, '../../../..');

/**
 * Fills a code block with the file it names, so that pages show code that tests run:
 *
 *     ```js file=examples/skripts/hello/main.js
 *     ```
 *
 * The path is relative to the root of the repository.
 */
export function codeFromFile() {
  return (tree: Root): void =>
    visit(tree, 'code', node => {
      const path = /(?:^|\s)file=(\S+)/.exec(node.meta ?? '')?.[1];
      if (path) node.value = readFileSync(resolve(REPOSITORY, path), 'utf8').trimEnd();
    });
}
