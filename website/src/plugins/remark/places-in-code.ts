import type { Root } from 'mdast';
import { visit } from 'unist-util-visit';

interface Places {
  platformUrl: string;
  /** Repository of the source code; empty if readers get the archive of this installation. */
  sourceUrl: string;
}

/**
 * Replaces `{platform}` in code blocks with the URL of the platform, and `{get-trawl}` with the command that gets the
 * source code, so that copied commands work.
 */
export function placesInCode({ platformUrl, sourceUrl }: Places) {
  const getTrawl = sourceUrl ? `git clone ${sourceUrl} trawl` : `curl -fsS ${platformUrl}/source.tar.gz | tar -xz`;
  return (tree: Root): void =>
    visit(tree, 'code', node => {
      node.value = node.value.replaceAll('{platform}', platformUrl).replaceAll('{get-trawl}', getTrawl);
    });
}
