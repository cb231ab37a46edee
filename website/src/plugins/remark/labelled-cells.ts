import type { Root } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';

/** Tables with at least this many columns are wide. Tables with fewer columns fit on phones. */
const MIN_COLUMNS = 3;

/** Adds the column title to each cell of a wide table, for its layout on phones; see scroll-table.module.css. */
export function labelledCells() {
  return (tree: Root): void =>
    visit(tree, 'table', ({ children: [head, ...rows] }) => {
      const titles = (head?.children ?? []).map(cell => textOf(cell));
      if (titles.length < MIN_COLUMNS) return;
      for (const { children } of rows) {
        for (const [column, cell] of children.entries()) {
          cell.data = { hProperties: { 'data-label': titles[column] ?? '' } };
        }
      }
    });
}
