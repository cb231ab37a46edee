import type { Root } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';

/** Tables of fewer columns read well on a phone as they are. */
const FEWEST_COLUMNS = 3;

/** Gives each cell of a wide table its column's title, under which it stands on a phone; see scroll-table.module.css. */
export function labelledCells() {
  return (tree: Root): void =>
    visit(tree, 'table', ({ children: [head, ...rows] }) => {
      const titles = (head?.children ?? []).map(cell => textOf(cell));
      if (titles.length < FEWEST_COLUMNS) return;
      for (const { children } of rows) {
        for (const [column, cell] of children.entries()) {
          cell.data = { hProperties: { 'data-label': titles[column] ?? '' } };
        }
      }
    });
}
