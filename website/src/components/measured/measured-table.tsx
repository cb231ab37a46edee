import { ScrollTable } from '@site/src/components/docs/scroll-table';
import { TableHead } from '@site/src/components/docs/table-head';

/** Table of figures that a benchmark has written to `website/content`. */
export function MeasuredTable({ rows }: { rows: Record<string, string | number>[] }) {
  const columns = Object.keys(rows[0] ?? {});
  return (
    <ScrollTable>
      <TableHead columns={columns} />
      <tbody>
        {rows.map(row => (
          <tr key={columns.map(column => row[column]).join()}>
            {columns.map(column => (
              <td key={column}>
                {typeof row[column] === 'number' ? row[column].toLocaleString('en-GB') : row[column]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
