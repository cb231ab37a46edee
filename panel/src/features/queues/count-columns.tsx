import type { Column } from '../../components/list/data-table.js';

interface Counts {
  waiting: number;
  taken: number;
  done: number;
  failed: number;
}

const format = (count: number): string => count.toLocaleString('en-GB');

/** The columns of how many requests are in which state. */
export const countColumns = <Item extends Counts>(): Column<Item>[] => [
  {
    key: 'waiting',
    title: 'Waiting',
    sortBy: 'waiting',
    brief: true,
    named: true,
    render: ({ waiting }) => format(waiting),
  },
  { key: 'taken', title: 'In work', render: ({ taken }) => format(taken) },
  { key: 'done', title: 'Done', render: ({ done }) => format(done) },
  {
    key: 'failed',
    title: 'Failed',
    sortBy: 'failed',
    brief: true,
    named: true,
    render: ({ failed }) => format(failed),
  },
];
