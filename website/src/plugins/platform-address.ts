import type { Root } from 'mdast';
import { visit } from 'unist-util-visit';

const PLACE = '{platform}';

/**
 * Puts the platform's own address where a code block says `{platform}`, so that a command can be copied as it stands
 * and calls the same platform as the examples of the API pages.
 */
export function platformAddress({ platformUrl }: { platformUrl: string }) {
  return (tree: Root): void =>
    visit(tree, 'code', node => {
      node.value = node.value.replaceAll(PLACE, platformUrl);
    });
}
