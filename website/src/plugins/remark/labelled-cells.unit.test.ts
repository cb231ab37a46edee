import type { Table, TableCell, TableRow } from 'mdast';
import { labelledCells } from './labelled-cells';

const cell = (value: string): TableCell => ({ type: 'tableCell', children: [{ type: 'text', value }] });
const row = (...values: string[]): TableRow => ({ type: 'tableRow', children: values.map(cell) });

test('the website build labels cells with their column only in tables of three or more columns', () => {
  const wide: Table = { type: 'table', children: [row('Field', 'Default', 'Edge'), row('Skript', 'none', '')] };
  const narrow: Table = { type: 'table', children: [row('Field', 'Default'), row('Skript', 'none')] };
  labelledCells()({ type: 'root', children: [wide, narrow] });
  expect(wide.children[1]?.children).toMatchObject([
    { data: { hProperties: { 'data-label': 'Field' } } },
    { data: { hProperties: { 'data-label': 'Default' } } },
    { data: { hProperties: { 'data-label': 'Edge' } } },
  ]);
  expect(JSON.stringify(narrow)).not.toContain('data-label');
});
