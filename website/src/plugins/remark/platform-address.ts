import type { Root } from 'mdast';
import { visit } from 'unist-util-visit';

const PLACE = '{platform}';

/**
 * Replaces `{platform}` in code blocks with the URL of the platform, so that copied commands work, as in the examples
 * of the API pages.
 */
export function platformAddress({ platformUrl }: { platformUrl: string }) {
  return (tree: Root): void =>
    visit(tree, 'code', node => {
      node.value = node.value.replaceAll(PLACE, platformUrl);
    });
}
