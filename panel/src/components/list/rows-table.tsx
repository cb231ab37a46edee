import type { ReactNode } from 'react';
import { ScrollFrame } from '../scroll/scroll-frame.js';

interface RowsTableProps {
  /** Name of the table. */
  label: string;
  /** The cells of the header. */
  head: { title: ReactNode; hint?: string }[];
  /** Texts of the cells; null is shown as such. */
  rows: (string | null)[][];
  className?: string;
}

/** Shows rows of values, whose columns the data decides. */
export function RowsTable({ label, head, rows, className = '' }: RowsTableProps) {
  return (
    <ScrollFrame label={label}>
      <table className={`table ${className}`} aria-label={label}>
        <thead>
          <tr>
            {head.map(({ title, hint }, position) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name.
              <th scope="col" key={position} title={hint}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of values have no identity but their position.
            <tr key={position}>
              {row.map((text, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                <td key={column}>
                  <span className={text === null ? 'null-value' : 'clip'} title={text ?? 'null'}>
                    {text ?? 'null'}
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
