import run from '@site/content/sample-run.json';
import type { ComponentProps } from 'react';
import { TableHead } from './table-head';

interface SampleRowsProps {
  className?: string;
  /** Returns attributes for a row. `echo` is the index of the first echo after the row was stored. */
  rowProps?: (echo: number) => ComponentProps<'tr'>;
}

/** Table of some rows that the sample run stored, with rows from each page that the run read. */
export function SampleRows({ className, rowProps }: SampleRowsProps) {
  return (
    <table className={className}>
      <TableHead columns={['sku', 'title', 'price']} />
      <tbody>
        {run.rows.map(({ sku, title, price, echo }) => (
          <tr key={sku} {...rowProps?.(echo)}>
            <td>{sku}</td>
            <td>{title}</td>
            <td>{price}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
