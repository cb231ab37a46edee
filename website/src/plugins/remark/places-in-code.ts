import type { Code, Root } from 'mdast';
import { visit } from 'unist-util-visit';

interface Places {
  platformUrl: string;
  /** Repository of the source code; empty if readers get the archive of this installation. */
  sourceUrl: string;
  hasArchive: boolean;
}

const NO_SOURCE =
  'This installation does not offer its source code. Ask its operator for it, and open a terminal in its folder.';

/** Prints one field of a JSON answer. The introduction of the Joint API shows it, too. */
const FIELD_FUNCTION = `field() { node -p "JSON.parse(require('fs').readFileSync(0)).$1"; }`;
const CALLS_FIELD = /(^|[|(])\s*field /m;

/**
 * Replaces `{platform}` in code blocks with the URL of the platform, and `{get-trawl}` with the command that gets the
 * source code, so that copied commands work. Commands that call `field` begin with its definition, so that they work in a new shell. If
 * this installation offers no source code, a sentence replaces the block.
 */
export function placesInCode({ platformUrl, sourceUrl, hasArchive }: Places) {
  const archived = hasArchive ? `curl -fsS ${platformUrl}/source.tar.gz | tar -xz` : undefined;
  const getTrawl = sourceUrl ? `git clone ${sourceUrl} trawl` : archived;
  return (tree: Root): void =>
    visit(tree, 'code', (node: Code, index, parent) => {
      if (getTrawl === undefined && node.value.includes('{get-trawl}')) {
        parent?.children.splice(index ?? 0, 1, { type: 'paragraph', children: [{ type: 'text', value: NO_SOURCE }] });
      }
      node.value = node.value.replaceAll('{platform}', platformUrl).replaceAll('{get-trawl}', getTrawl ?? '');
      if (node.lang === 'bash' && CALLS_FIELD.test(node.value)) node.value = `${FIELD_FUNCTION}\n${node.value}`;
    });
}
