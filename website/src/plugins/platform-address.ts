interface MarkdownNode {
  type: string;
  value?: string;
  children?: MarkdownNode[];
}

const PLACE = '{platform}';

/**
 * Puts the platform's own address where a code block says `{platform}`, so that a command can be copied as it stands
 * and calls the same platform as the examples of the API pages.
 */
export function platformAddress({ platformUrl }: { platformUrl: string }) {
  const visit = (node: MarkdownNode): void => {
    if (node.type === 'code') node.value = node.value?.replaceAll(PLACE, platformUrl);
    node.children?.forEach(visit);
  };
  return visit;
}
