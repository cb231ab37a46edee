import { byteSize } from '@trawl/contracts';
import type { Column } from '../../components/list/data-table.js';
import { RelativeTime } from '../../components/values/relative-time.js';

interface Use {
  connections: number;
  failures: number;
  bytes_sent: number;
  bytes_received: number;
  last_used_at: string | null;
}

const format = (count: number): string => count.toLocaleString('en-GB');

/** The columns of the use of a proxy, or of a whole pool. */
export const columnsOfUse = <Item extends Use>(isSortable: boolean): Column<Item>[] => [
  {
    key: 'connections',
    title: 'Connections',
    ...(isSortable && { sortBy: 'connections' }),
    render: ({ connections }) => format(connections),
  },
  {
    key: 'failures',
    title: 'Failures',
    brief: true,
    named: true,
    ...(isSortable && { sortBy: 'failures' }),
    render: ({ failures }) => format(failures),
  },
  {
    key: 'received',
    title: 'Received',
    brief: true,
    named: true,
    ...(isSortable && { sortBy: 'bytes_received' }),
    render: ({ bytes_received: bytes }) => byteSize(bytes),
  },
  { key: 'sent', title: 'Sent', render: ({ bytes_sent: bytes }) => byteSize(bytes) },
  {
    key: 'used',
    title: 'Last used',
    render: ({ last_used_at: at }) => (at === null ? 'never' : <RelativeTime iso={at} />),
  },
];
