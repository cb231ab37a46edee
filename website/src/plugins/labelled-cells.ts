interface MarkdownNode {
  type: string;
  value?: string;
  data?: { hProperties?: Record<string, string> };
  children?: MarkdownNode[];
}

/** Tables of fewer columns read well on a phone as they are. */
const FEWEST_COLUMNS = 3;

/** Gives each cell of a wide table its column's title, under which it stands on a phone; see scroll-table.module.css. */
export function labelledCells() {
  const visit = (node: MarkdownNode): void => {
    if (node.type !== 'table') {
      node.children?.forEach(visit);
      return;
    }
    const [head, ...rows] = node.children ?? [];
    const titles = (head?.children ?? []).map(textOf);
    if (titles.length < FEWEST_COLUMNS) return;
    for (const { children = [] } of rows) {
      for (const [column, cell] of children.entries()) {
        cell.data = { hProperties: { 'data-label': titles[column] ?? '' } };
      }
    }
  };
  return visit;
}

const textOf = (node: MarkdownNode): string => node.value ?? (node.children ?? []).map(textOf).join('');
