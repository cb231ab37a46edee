import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

interface MarkdownNode {
  type: string;
  meta?: string | null;
  value?: string;
  children?: MarkdownNode[];
}

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
  const visit = (node: MarkdownNode): void => {
    const path = node.type === 'code' ? /(?:^|\s)file=(\S+)/.exec(node.meta ?? '')?.[1] : undefined;
    if (path) {
      node.value = readFileSync(resolve(REPOSITORY, path), 'utf8').trimEnd();
    }
    node.children?.forEach(visit);
  };
  return visit;
}
